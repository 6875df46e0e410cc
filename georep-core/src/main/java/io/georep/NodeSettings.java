package io.georep;

import io.georep.codec.TextBound;
import io.georep.model.Channels;
import io.georep.model.ConfigurationException;
import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.outbox.local.OutboxModule;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.local.Place;
import io.georep.protocol.local.ProtocolModule;
import io.georep.runtime.HostAndPort;
import io.georep.runtime.PeerInspection;
import io.georep.spi.CodecResolver;
import io.georep.spi.EncryptionKeys;
import io.georep.spi.PeerSelection;
import io.georep.spi.StoreFactory;
import io.georep.spi.Ticker;
import io.georep.spi.TransportFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The checked settings of a node. */
record NodeSettings(
        NodeId nodeId,
        String site,
        String cluster,
        @Nullable String host,
        int port,
        @Nullable String advertise,
        List<String> seeds,
        @Nullable Path dataDir,
        Durability durability,
        ProtocolConfig protocol,
        List<ProtocolModule<?, ?, ?>> modules,
        @Nullable TransportFactory transport,
        @Nullable StoreFactory store,
        @Nullable EncryptionKeys encryption,
        Ticker ticker,
        Duration expectedAway,
        Duration closeTimeout,
        Duration startTimeout) {

    /** Returns the channel for whose copies the node is ready: that of the outbox, or without one, of the first protocol. */
    int copiesChannel() {
        return modules.get(0).id().channel();
    }

    /** Returns what protocols learn of it. */
    Place place() {
        return new Place(nodeId, host, port, dataDir, durability, protocol);
    }

    /** Settings as given, not checked yet. Null means not given. */
    static final class Draft {
        /** Ten years: far from the end of a {@code long} of nanoseconds. */
        private static final Duration LONGEST = Duration.ofDays(3650);

        private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
        private static final Pattern PROTOCOL_NAME =
                Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0," + (TextBound.PROTOCOL.bytesMax() - 1) + "}");

        /** Lower ones are for protocols of this library. */
        private static final int FIRST_FREE_CHANNEL = 64;

        private static final String NAME_RULE =
                "1 to 64 characters out of letters, digits, '.', '_' and '-', starting with a letter or digit";

        @Nullable
        String nodeId;

        @Nullable
        String site;

        String cluster = "georep";

        @Nullable
        String host;

        int port;

        @Nullable
        String advertise;

        List<String> seeds = List.of();

        @Nullable
        Path dataDir;

        Durability durability = Durability.FSYNC;
        ProtocolConfig protocol = ProtocolConfig.defaults();
        int copiesMax = Integer.MAX_VALUE;
        boolean hasOutbox = true;

        /** Protocols of the application. */
        final List<ProtocolModule<?, ?, ?>> modules = new ArrayList<>();

        /** Protocols of this library, beside the outbox. */
        final List<ProtocolModule<?, ?, ?>> own = new ArrayList<>();

        PeerSelection selection = PeerSelection.siteAware();

        CodecResolver codecs = CodecResolver.builtIn();

        @Nullable
        TransportFactory transport;

        @Nullable
        StoreFactory store;

        @Nullable
        EncryptionKeys encryption;

        Ticker ticker = Ticker.system();

        Duration expectedAway = Duration.ofMinutes(1);
        Duration closeTimeout = Duration.ofSeconds(10);
        Duration startTimeout = Duration.ofMinutes(1);

        private final List<String> faults = new ArrayList<>();

        /** Checks everything together, so that one attempt shows every mistake. */
        NodeSettings validated() {
            faults.clear();
            String id = nodeId == null ? "" : nodeId;
            check(
                    NAME.matcher(id).matches(),
                    nodeId == null
                            ? "nodeId is missing: give the node a name of " + NAME_RULE
                            : "nodeId '" + id + "' is not valid: use " + NAME_RULE);
            String siteOrId = site == null ? id : site;
            check(
                    site == null || NAME.matcher(siteOrId).matches(),
                    "site '" + site + "' is not valid: use " + NAME_RULE);
            check(NAME.matcher(cluster).matches(), "cluster '" + cluster + "' is not valid: use " + NAME_RULE);
            checkAddresses();
            checkStore();
            check(copiesMax >= 0, "copiesMax is " + copiesMax + ", must not be negative");
            checkTimes();
            checkModules();
            checkTransport(id);
            checkPlace(id);
            if (!faults.isEmpty()) {
                throw ConfigurationException.of(faults);
            }
            return new NodeSettings(
                    NodeId.of(id),
                    siteOrId,
                    cluster,
                    host,
                    port,
                    advertise,
                    seeds,
                    dataDir,
                    durability,
                    protocol,
                    allModules(),
                    transport,
                    store,
                    encryption,
                    ticker,
                    expectedAway,
                    closeTimeout,
                    startTimeout);
        }

        private List<ProtocolModule<?, ?, ?>> allModules() {
            List<ProtocolModule<?, ?, ?>> all = new ArrayList<>();
            if (hasOutbox) {
                all.add(new OutboxModule(selection, codecs, copiesMax));
            }
            all.addAll(own);
            all.addAll(modules);
            return all;
        }

        private void checkModules() {
            Map<Integer, String> taken = new TreeMap<>();
            for (ProtocolModule<?, ?, ?> module : modules) {
                int channel = module.id().channel();
                check(
                        channel >= FIRST_FREE_CHANNEL && channel < PeerInspection.CHANNEL,
                        "protocol '" + module.id().name() + "' is on channel " + channel + ", allowed are "
                                + FIRST_FREE_CHANNEL + " to " + (PeerInspection.CHANNEL - 1)
                                + ": lower ones are for protocols of this library");
            }
            for (ProtocolModule<?, ?, ?> module : allModules()) {
                ProtocolId protocol = module.id();
                check(
                        PROTOCOL_NAME.matcher(protocol.name()).matches(),
                        "a protocol is named '" + protocol.name() + "': use 1 to " + TextBound.PROTOCOL.bytesMax()
                                + " letters, digits, '.', '_' and '-', starting with a letter or digit");
                check(
                        protocol.version() >= 1 && protocol.version() <= Channels.VERSION_MAX,
                        "protocol '" + protocol.name() + "' is of version " + protocol.version() + ", allowed are 1 to "
                                + Channels.VERSION_MAX);
                String other = taken.putIfAbsent(protocol.channel(), protocol.name());
                check(
                        other == null,
                        "protocols '" + other + "' and '" + protocol.name() + "' are both on channel "
                                + protocol.channel() + ": add one of them only");
            }
            check(
                    !taken.isEmpty(),
                    "a node without outbox has nothing to do: add another protocol, or leave the outbox in");
            check(
                    taken.size() < Channels.ANNOUNCED_MAX,
                    taken.size() + " protocols beside the membership, at most " + (Channels.ANNOUNCED_MAX - 1)
                            + " can be announced to other nodes");
        }

        private void checkAddresses() {
            if (host != null) {
                check(!host.isBlank(), "listen host is empty: name an address of this machine, or 0.0.0.0 for all");
                check(port >= 0 && port <= 65535, "listen port is " + port + ", allowed are 0 (any free) to 65535");
            } else {
                check(
                        seeds.isEmpty(),
                        "seeds " + seeds
                                + ", but no port to listen on: other nodes could not answer; set listen(port), with Spring Boot georep.port");
                check(
                        advertise == null,
                        "advertise '" + advertise
                                + "', but no port to listen on: nobody could connect; set listen(port), with Spring Boot georep.port");
            }
            if (advertise != null) {
                checkAddress("advertise", advertise);
            }
            Set<String> seen = new HashSet<>();
            for (String seed : seeds) {
                checkAddress("seed", seed);
                check(seen.add(seed), "seed '" + seed + "' is given twice: remove one");
            }
        }

        private void checkAddress(String what, String address) {
            check(
                    HostAndPort.isValid(address),
                    what + " '" + address + "' is not host:port with a port from 1 to 65535");
        }

        /** What the transport itself objects to, once it is clear for whom it would be. */
        private void checkTransport(String id) {
            if (host == null || host.isBlank() || !NAME.matcher(id).matches()) {
                return;
            }
            int frameBytesMax = Transports.frameBytesMax(protocol, allModules());
            try {
                Transports.factory(transport)
                        .check(new TransportFactory.Settings(
                                cluster, NodeId.of(id), host, port, advertise, frameBytesMax));
            } catch (ConfigurationException e) {
                faults.addAll(e.faults());
            }
        }

        /** What protocols object to, once it is clear where they would be. */
        private void checkPlace(String id) {
            if (!NAME.matcher(id).matches()) {
                return;
            }
            for (ProtocolModule<?, ?, ?> module : allModules()) {
                try {
                    module.check(new Place(NodeId.of(id), host, port, dataDir, durability, protocol));
                } catch (ConfigurationException e) {
                    faults.addAll(e.faults());
                }
            }
        }

        private void checkStore() {
            check(
                    dataDir != null || store != null || durability == Durability.MEMORY,
                    "dataDir is missing although durability is " + durability
                            + ": name a directory, or set durability(MEMORY) for data that may be lost");
            check(
                    store == null || encryption == null,
                    "encryption is set, but the store is one of your own, which does not know these keys: give them to that"
                            + " store, and take them out here");
        }

        private void checkTimes() {
            check(!expectedAway.isNegative(), "expectedAway is " + expectedAway + ", must not be negative");
            check(!closeTimeout.isNegative(), "closeTimeout is " + closeTimeout + ", must not be negative");
            check(
                    !startTimeout.isNegative() && !startTimeout.isZero(),
                    "startTimeout is " + startTimeout + ", must be longer than zero");
            checkBounded("closeTimeout", closeTimeout);
            checkBounded("startTimeout", startTimeout);
        }

        private void checkBounded(String name, Duration value) {
            check(value.compareTo(LONGEST) <= 0, name + " is " + value + ", allowed are at most " + LONGEST);
        }

        private void check(boolean valid, String fault) {
            if (!valid) {
                faults.add(fault);
            }
        }
    }
}
