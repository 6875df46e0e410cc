package io.georep.comparison;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.client.RaftClientConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.TimeDuration;
import org.jspecify.annotations.Nullable;

/**
 * A map on Raft. The last node leads, because it has the highest priority. Writes go through a client to the leader. Reads ask
 * the server of the same process, which asks the leader up to which entry it must have applied; the leader itself relies on its
 * lease.
 */
final class RatisMap implements ComparedMap {
    private static final int PORT = 7500;
    private static final int OUTSTANDING_MAX = 20_000;
    private static final UUID GROUP = new UUID(0x67656f726570L, 1);

    private final RaftGroup group;
    private final RaftPeerId leader;
    private final RaftServer server;
    private final RaftClient client;
    private final ClientId reader = ClientId.randomId();
    private final AtomicLong calls = new AtomicLong();

    RatisMap(Place place) throws IOException {
        List<RaftPeer> peers = new ArrayList<>();
        for (int node = 0; node < place.nodes(); node++) {
            peers.add(RaftPeer.newBuilder()
                    .setId(place.names().get(node))
                    .setAddress(place.address(node, PORT))
                    .setPriority(node == place.nodes() - 1 ? 1 : 0)
                    .build());
        }
        group = RaftGroup.valueOf(RaftGroupId.valueOf(GROUP), peers);
        leader = peers.get(place.nodes() - 1).getId();
        RaftProperties properties = properties(place);
        server = RaftServer.newBuilder()
                .setServerId(RaftPeerId.valueOf(place.name()))
                .setGroup(group)
                .setStateMachine(new KeyValueMachine())
                .setProperties(properties)
                .build();
        server.start();
        client = RaftClient.newBuilder()
                .setProperties(properties)
                .setRaftGroup(group)
                .setLeaderId(leader)
                .build();
    }

    private static RaftProperties properties(Place place) {
        RaftProperties properties = new RaftProperties();
        RaftServerConfigKeys.setStorageDir(
                properties, List.<File>of(place.directory().toFile()));
        GrpcConfigKeys.Server.setHost(properties, place.host());
        GrpcConfigKeys.Server.setPort(properties, PORT);
        TimeDuration shortest = TimeDuration.valueOf(place.leaseMillis(), TimeUnit.MILLISECONDS);
        RaftServerConfigKeys.Rpc.setTimeoutMin(properties, shortest);
        RaftServerConfigKeys.Rpc.setTimeoutMax(properties, shortest.multiply(2));
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(properties, shortest.multiply(0.25));
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(properties, shortest.multiply(0.5));
        RaftServerConfigKeys.Read.setOption(properties, RaftServerConfigKeys.Read.Option.LINEARIZABLE);
        RaftServerConfigKeys.Read.setLeaderLeaseEnabled(properties, true);
        RaftClientConfigKeys.Async.setOutstandingRequestsMax(properties, OUTSTANDING_MAX);
        return properties;
    }

    @Override
    public boolean ready() throws IOException {
        RaftServer.Division division = server.getDivision(group.getGroupId());
        return leader.equals(division.getInfo().getLeaderId())
                && (!division.getId().equals(leader) || division.getInfo().isLeaderReady());
    }

    @Override
    public byte @Nullable [] read(String key) throws IOException {
        RaftClientReply reply = server.submitClientRequest(RaftClientRequest.newBuilder()
                .setClientId(reader)
                .setServerId(server.getId())
                .setGroupId(group.getGroupId())
                .setCallId(calls.incrementAndGet())
                .setMessage(KeyValueMachine.read(key))
                .setType(RaftClientRequest.readRequestType())
                .build());
        if (!reply.isSuccess()) {
            throw new IOException("read was not answered: " + reply);
        }
        byte[] value = reply.getMessage().getContent().toByteArray();
        return value.length == 0 ? null : value;
    }

    @Override
    public CompletionStage<?> write(String key, byte[] value) {
        return client.async().send(KeyValueMachine.write(key, value)).thenApply(reply -> {
            if (!reply.isSuccess()) {
                throw new IllegalStateException("write was not committed: " + reply);
            }
            return reply;
        });
    }

    @Override
    public void close() throws IOException {
        client.close();
        server.close();
    }
}
