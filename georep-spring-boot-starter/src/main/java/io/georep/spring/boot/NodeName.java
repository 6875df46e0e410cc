package io.georep.spring.boot;

import io.georep.NodeBuilder;
import io.georep.model.NodeId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The name of a node, and the place of its store. A node without a configured name takes that of its store, because the
 * store may hold entries that only that node forwards. If there is no store, it takes the name of its host. A container
 * may have another host name at each start.
 *
 * @param id the node's name; null if one must be configured
 * @param directory of the store; null for a store in memory
 * @param fault what keeps the node from having a name; null if it has one
 */
record NodeName(
        @Nullable String id,
        @Nullable Path directory,
        @Nullable String fault) {
    /** Where stores are unless a directory is given. */
    static final Path DATA = Path.of("georep-data");

    private static final Logger LOG = LoggerFactory.getLogger(NodeName.class);
    private static final String REMEDY = ": give the node a name that is unique in the cluster";

    /** Returns the name and the place for the node that the properties describe, on this host. */
    static NodeName of(GeoRepProperties properties) {
        return of(properties, DATA, NodeName::hostName);
    }

    static NodeName of(GeoRepProperties properties, Path data, Supplier<@Nullable String> host) {
        boolean inMemory = properties.inMemory();
        Path given = inMemory ? null : properties.dataDir();
        String id = properties.nodeId();
        if (id != null && !id.isBlank()) {
            return new NodeName(id, inMemory ? null : given == null ? data.resolve(id) : given, null);
        }
        if (properties.test().enabled()) {
            return new NodeName("test-%08x".formatted(new Random().nextInt()), null, null);
        }
        String hostName = host.get();
        NodeName found = inMemory
                ? ofHost(hostName, properties, null, Map.of())
                : given == null ? ofStores(data, properties, hostName) : ofStore(given, properties, hostName);
        if (found.id() != null) {
            LOG.warn(
                    "georep.node-id is not set: this node is called '{}' after its {}. Set georep.node-id to that name, so"
                            + " that it stays the same wherever the node runs",
                    found.id(),
                    found.id().equals(sanitised(hostName)) ? "host" : "store in " + found.directory());
        }
        return found;
    }

    private static NodeName ofStore(Path given, GeoRepProperties properties, @Nullable String host) {
        NodeId owner = NodeBuilder.storedNodeId(given);
        return owner == null ? ofHost(host, properties, given, Map.of()) : new NodeName(owner.value(), given, null);
    }

    private static NodeName ofStores(Path data, GeoRepProperties properties, @Nullable String host) {
        Map<String, Path> stores = stores(data);
        String wanted = sanitised(host);
        if (wanted != null && stores.containsKey(wanted)) {
            return new NodeName(wanted, stores.get(wanted), null);
        }
        if (stores.size() == 1) {
            Map.Entry<String, Path> only = stores.entrySet().iterator().next();
            return new NodeName(only.getKey(), only.getValue(), null);
        }
        return ofHost(host, properties, wanted == null ? null : data.resolve(wanted), stores);
    }

    private static NodeName ofHost(
            @Nullable String host, GeoRepProperties properties, @Nullable Path directory, Map<String, Path> stores) {
        String id = sanitised(host);
        if (!stores.isEmpty()) {
            return faulty("nodeId is missing, this host is called '" + host + "', and there are stores of the nodes "
                    + stores.keySet() + ": say which of them this node is");
        }
        if (id == null) {
            return faulty("nodeId is missing, and the name of the host is not known" + REMEDY);
        }
        if (properties.port() != null && id.equals("localhost")) {
            return faulty("nodeId is missing, and the host is called 'localhost', as others are" + REMEDY);
        }
        return new NodeName(id, directory, null);
    }

    private static NodeName faulty(String fault) {
        return new NodeName(null, null, fault);
    }

    private static Map<String, Path> stores(Path data) {
        Map<String, Path> found = new TreeMap<>();
        try (Stream<Path> directories = Files.isDirectory(data) ? Files.list(data) : Stream.empty()) {
            for (Path directory : directories.sorted().toList()) {
                NodeId owner = NodeBuilder.storedNodeId(directory);
                if (owner != null) {
                    found.put(owner.value(), directory);
                }
            }
        } catch (IOException e) {
            LOG.debug("{} cannot be listed: opening the store will say why", data, e);
        }
        return found;
    }

    /** Returns a name with the characters that names of nodes may have; null if nothing is left. */
    static @Nullable String sanitised(@Nullable String host) {
        String name =
                host == null ? "" : host.replaceAll("[^A-Za-z0-9._-]", "-").replaceAll("^[._-]+", "");
        if (name.length() > NodeId.LENGTH_MAX) {
            // Names that differ at their end only stay different.
            String mark = "-%08x".formatted(name.hashCode());
            name = name.substring(0, NodeId.LENGTH_MAX - mark.length()) + mark;
        }
        return name.isEmpty() ? null : name;
    }

    private static @Nullable String hostName() {
        for (String variable : List.of("HOSTNAME", "COMPUTERNAME")) {
            String value = System.getenv(variable);
            if (value != null && !value.isBlank()) {
                return value.strip();
            }
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            LOG.debug("The name of the host is not known", e);
            return null;
        }
    }
}
