package io.georep.spring.connect;

import io.georep.keys.KeySpaces;
import io.georep.model.ConfigurationException;
import io.georep.spring.Connectors;
import io.georep.spring.connect.ConnectorOrders.Target;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToIntBiFunction;
import java.util.function.UnaryOperator;
import org.apache.kafka.connect.connector.Connector;
import org.apache.kafka.connect.sink.SinkConnector;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All connectors of the application. Thread-safe. */
public final class ConnectHost implements Connectors, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectHost.class);

    private final HostParts host;
    private final Map<String, HostedConnector> connectors = new TreeMap<>();
    private final Plugins plugins;

    /**
     * Checks the settings of all connectors; nothing runs yet.
     *
     * @param settings the settings of each connector, by its name
     * @param strict whether keys that nothing reads are mistakes
     * @param distance how different two words are
     * @param property a property of the application by its name; null if there is none
     * @throws ConfigurationException if there are mistakes; the message names all
     */
    public ConnectHost(
            HostParts host,
            Map<String, Map<String, String>> settings,
            List<Path> pluginPath,
            ClassLoader application,
            boolean strict,
            ToIntBiFunction<String, String> distance,
            UnaryOperator<@Nullable String> property) {
        this.host = host;
        host.node().service(KeySpaces.class);
        plugins = new Plugins(application, pluginPath);
        try {
            addAll(settings, strict, distance, new SettingReferences(property));
        } catch (Throwable e) {
            plugins.close();
            throw e;
        }
    }

    private void addAll(
            Map<String, Map<String, String>> settings,
            boolean strict,
            ToIntBiFunction<String, String> distance,
            SettingReferences references) {
        List<String> faults = new ArrayList<>();
        List<ConnectorSettings> sinks = new ArrayList<>();
        new TreeMap<>(settings).forEach((name, given) -> {
            int before = faults.size();
            Map<String, String> own = references.resolve(name, given, faults);
            ConfigCheck check = new ConfigCheck(name, own, plugins, distance).check();
            faults.addAll(check.faults());
            if (strict) {
                faults.addAll(check.unknown());
            } else {
                check.unknown().forEach(sentence -> LOG.warn("{}", sentence));
            }
            Class<? extends Connector> type = check.connector();
            if (faults.size() == before && type != null) {
                ConnectorSettings parsed = ConnectorSettings.of(name, own);
                boolean sink = SinkConnector.class.isAssignableFrom(type);
                if (sink) {
                    sinks.add(parsed);
                }
                connectors.put(
                        name,
                        new HostedConnector(
                                parsed,
                                sink
                                        ? new SinkKind(host, parsed, plugins, type)
                                        : new SourceKind(host, parsed, plugins, type),
                                new ConnectorOrders(host.orders(), name)));
            }
        });
        faults.addAll(ConfigCheck.together(sinks));
        if (!faults.isEmpty()) {
            throw ConfigurationException.of(faults);
        }
    }

    /** Returns the outboxes that sinks forward, with the names of the sinks. */
    public Map<String, String> forwarded() {
        Map<String, String> topics = new TreeMap<>();
        connectors.forEach((name, connector) -> {
            if (connector.kind().isSink()) {
                connector.settings().topics().forEach(topic -> topics.put(topic, name));
            }
        });
        return topics;
    }

    /** Starts all sinks, or all sources. */
    public void start(boolean sinks) {
        of(sinks).forEach(HostedConnector::begin);
    }

    /** Stops all sinks, or all sources, and waits for that for a bounded time. */
    public void stop(boolean sinks) {
        List<HostedConnector> all = of(sinks);
        all.forEach(HostedConnector::close);
        long deadline = System.nanoTime() + host.stopTimeout().plusSeconds(1).toNanos();
        for (HostedConnector connector : all) {
            if (!connector.awaitEnd((deadline - System.nanoTime()) / 1_000_000)) {
                LOG.warn(
                        "Connector {} does not stop; what it does from now on may be done again",
                        connector.settings().name());
            }
        }
    }

    /** Lets go of the plugins. All connectors have stopped, or do not stop. */
    @Override
    public void close() {
        plugins.close();
    }

    private List<HostedConnector> of(boolean sinks) {
        return connectors.values().stream()
                .filter(connector -> connector.kind().isSink() == sinks)
                .toList();
    }

    @Override
    public List<Status> all() {
        return connectors.values().stream().map(HostedConnector::status).toList();
    }

    @Override
    public @Nullable Status byName(String name) {
        HostedConnector connector = connectors.get(name);
        return connector == null ? null : connector.status();
    }

    @Override
    public void pause(String name) {
        known(name).order(Target.PAUSED);
    }

    @Override
    public void resume(String name) {
        known(name).order(Target.RUNNING);
    }

    @Override
    public void restart(String name) {
        known(name).restart();
    }

    @Override
    public void stop(String name) {
        known(name).order(Target.STOPPED);
    }

    private HostedConnector known(String name) {
        HostedConnector connector = connectors.get(name);
        if (connector == null) {
            Set<String> names = new TreeSet<>(connectors.keySet());
            throw new IllegalArgumentException("there is no connector '" + name + "': there are " + names);
        }
        return connector;
    }
}
