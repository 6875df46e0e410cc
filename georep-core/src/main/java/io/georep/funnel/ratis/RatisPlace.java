package io.georep.funnel.ratis;

import io.georep.funnel.ViewMaster;
import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.client.RaftClientConfigKeys;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.grpc.GrpcTlsConfig;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;
import org.jspecify.annotations.Nullable;

/** The settings of the master and of one node together, checked, and in the form that Ratis wants. Opens nothing. */
final class RatisPlace {
    /** Entries between two snapshots: about an hour of a cluster of five nodes. */
    static final long SNAPSHOT_EVERY = 20_000;

    private static final int SNAPSHOTS_KEPT = 2;
    private static final TimeDuration NEVER = TimeDuration.valueOf(3650, TimeUnit.DAYS);
    private static final TimeDuration SHORTEST_ELECTION = TimeDuration.valueOf(100, TimeUnit.MILLISECONDS);

    private final RatisSettings settings;
    private final long snapshotEvery;
    private final ViewMaster.Place place;
    private final @Nullable Path directory;
    private final @Nullable Address listen;
    private final @Nullable GrpcTlsConfig tls;
    private final RaftGroup group;

    RatisPlace(RatisSettings settings, ViewMaster.Place place, long snapshotEvery) {
        RatisGuard.set();
        this.snapshotEvery = snapshotEvery;
        this.settings = settings;
        this.place = place;
        RatisSettings.Peer own = settings.peer(place.node());
        this.directory = own == null ? null : directory(settings, place);
        this.listen = own == null ? null : listen(settings, place, own);
        this.tls = settings.tls() == null ? null : settings.tls().config();
        if (tls == null && !settings.openToAnyoneWhoReachesThePort()) {
            requireLoopback();
        }
        List<RaftPeer> peers = settings.peers().stream()
                .map(each -> RaftPeer.newBuilder()
                        .setId(each.node().value())
                        .setAddress(settings.address(each).toString())
                        .build())
                .toList();
        // The bytes of the text, so that the same name always leads to the same directory.
        UUID id = UUID.nameUUIDFromBytes(("georep views " + settings.group()).getBytes(StandardCharsets.UTF_8));
        this.group = RaftGroup.valueOf(RaftGroupId.valueOf(id), peers);
    }

    private static Path directory(RatisSettings settings, ViewMaster.Place place) {
        Path given = settings.directory();
        Path data = place.dataDir();
        if (given != null) {
            return given;
        }
        if (data == null) {
            throw new ConfigurationException("node " + place.node()
                    + " is a peer of the master of views and has no data directory: set one, or a directory for the"
                    + " master. What it decides must survive a restart");
        }
        return data.resolve("views");
    }

    private static Address listen(RatisSettings settings, ViewMaster.Place place, RatisSettings.Peer own) {
        String given = settings.listen();
        if (given != null) {
            return Address.parse(given);
        }
        String host = place.host();
        return new Address(
                host == null ? own.host() : host, settings.address(own).port());
    }

    private void requireLoopback() {
        List<String> faults = new ArrayList<>();
        if (listen != null && listen.isBeyondLoopback()) {
            faults.add(
                    "the master of views would listen on " + listen
                            + ", which other machines may reach, and nothing would keep strangers from deciding who is a member: set"
                            + " TLS for it, or listen on 127.0.0.1. A shared secret protects the links of the nodes, not this port");
        }
        for (RatisSettings.Peer each : settings.peers()) {
            Address address = settings.address(each);
            if (!each.node().equals(place.node()) && address.isBeyondLoopback()) {
                faults.add("peer " + each.node() + " of the master of views is at " + address
                        + ", and nothing would protect the connection: set TLS for it");
            }
        }
        if (!faults.isEmpty()) {
            throw ConfigurationException.of(faults);
        }
    }

    NodeId node() {
        return place.node();
    }

    boolean isPeer() {
        return listen != null;
    }

    Path directory() {
        if (directory == null) {
            throw new IllegalStateException(node() + " is no peer");
        }
        return directory;
    }

    Address listen() {
        if (listen == null) {
            throw new IllegalStateException(node() + " is no peer");
        }
        return listen;
    }

    RaftGroup group() {
        return group;
    }

    String groupName() {
        return settings.group();
    }

    List<RatisSettings.Peer> peers() {
        return settings.peers();
    }

    /** The peers and where Ratis is reached there, for messages. */
    String whereTheyAre() {
        return String.join(
                ", ",
                settings.peers().stream()
                        .map(each -> each.node() + " at " + settings.address(each))
                        .toList());
    }

    List<NodeId> founders() {
        return settings.firstMembers();
    }

    int membersMin() {
        return settings.membersMin();
    }

    long leaseNanos() {
        return place.settings().lease().toNanos();
    }

    double rateError() {
        return place.settings().clockRateError();
    }

    Parameters parameters() {
        Parameters parameters = new Parameters();
        if (tls != null) {
            GrpcConfigKeys.TLS.setConf(parameters, tls);
        }
        return parameters;
    }

    private static RaftProperties properties() {
        RaftProperties properties = new RaftProperties();
        // What is said here is small: no reason to let anybody send more.
        GrpcConfigKeys.setMessageSizeMax(properties, SizeInBytes.valueOf("4MB"));
        return properties;
    }

    /** How long a question may take with all its repetitions. The node does not wait for longer. */
    long patienceNanos() {
        return leaseNanos() / 2;
    }

    /** So that after a peer that does not answer there is time for another one. */
    RaftProperties clientProperties() {
        RaftProperties properties = properties();
        RaftClientConfigKeys.Rpc.setRequestTimeout(properties, nanos(patienceNanos() / 2));
        return properties;
    }

    /** Elections that fit into a lease, a small log, and no end of the process for a long pause. */
    RaftProperties serverProperties() {
        RaftProperties properties = properties();
        RaftServerConfigKeys.setStorageDir(properties, List.<File>of(directory().toFile()));
        GrpcConfigKeys.Server.setHost(properties, listen().host());
        GrpcConfigKeys.Server.setPort(properties, listen().port());

        TimeDuration shortest = nanos(leaseNanos() / 4);
        shortest = shortest.compareTo(SHORTEST_ELECTION) < 0 ? SHORTEST_ELECTION : shortest;
        RaftServerConfigKeys.Rpc.setTimeoutMin(properties, shortest);
        RaftServerConfigKeys.Rpc.setTimeoutMax(properties, shortest.multiply(2));
        RaftServerConfigKeys.Rpc.setRequestTimeout(properties, nanos(leaseNanos()));
        RaftServerConfigKeys.LeaderElection.setLeaderStepDownWaitTime(properties, nanos(leaseNanos()));
        RaftServerConfigKeys.setCloseThreshold(properties, NEVER);

        RaftServerConfigKeys.Log.setSegmentSizeMax(properties, SizeInBytes.valueOf("1MB"));
        RaftServerConfigKeys.Log.setPreallocatedSize(properties, SizeInBytes.valueOf("64KB"));
        RaftServerConfigKeys.Log.setWriteBufferSize(properties, SizeInBytes.valueOf("1MB"));
        RaftServerConfigKeys.Log.Appender.setBufferByteLimit(properties, SizeInBytes.valueOf("512KB"));
        RaftServerConfigKeys.Log.Appender.setSnapshotChunkSizeMax(properties, SizeInBytes.valueOf("512KB"));
        RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(properties, true);
        RaftServerConfigKeys.Log.setPurgeGap(properties, (int) Math.min(1024, snapshotEvery));
        RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(properties, true);
        RaftServerConfigKeys.Snapshot.setAutoTriggerThreshold(properties, snapshotEvery);
        RaftServerConfigKeys.Snapshot.setRetentionFileNum(properties, SNAPSHOTS_KEPT);
        return properties;
    }

    private static TimeDuration nanos(long nanos) {
        return TimeDuration.valueOf(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)), TimeUnit.MILLISECONDS);
    }
}
