package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.codec.MalformedException;
import io.georep.geopaxos.core.execution.CallerReads;
import io.georep.geopaxos.core.map.Guard;
import io.georep.geopaxos.core.map.MapEntry;
import io.georep.geopaxos.core.map.MapOperation;
import io.georep.geopaxos.core.map.OrderedMapService;
import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.model.Channels;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.HandMadePeers;
import io.georep.protocol.HandMadePeers.HandMadePeer;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Messages of another node in which some bytes are others: each is handled or refused as malformed. */
class GeoDamageTest {
    private record Mail(NodeId from, NodeId to, int type, Slice body) {}

    private static final class Node {
        final HandMadePeers peers;
        final TestTurn turn = new TestTurn();
        final GeoPaxosProtocol protocol;

        Node(NodeId id) {
            peers = new HandMadePeers(id);
            for (NodeId other : ThreeGroups.NODES) {
                if (!other.equals(id)) {
                    HandMadePeer peer = new HandMadePeer(other);
                    peer.channels = Channels.of(Map.of(1, 1, GeoPaxosProtocol.CHANNEL, GeoPaxosProtocol.VERSION));
                    peers.all.put(other, peer);
                }
            }
            protocol = new GeoPaxosProtocol(
                    ThreeGroups.of(ThreeGroups.NODES),
                    () -> new OrderedMapService(List.of()),
                    peers,
                    new CallerReads());
            protocol.boot(turn.disk(), turn);
            GeoAudit.snapshotEvery(protocol, 8);
            turn.completeStore();
        }

        void take(Mail mail, Slice body) {
            protocol.onMessage(peers.all.get(mail.from), mail.type, new BinReader(body), turn);
        }
    }

    /** Bytes that say of which groups it is: with others it is not looked at. */
    private static final int PRINT = 8;

    private final Map<NodeId, Node> nodes = new TreeMap<>();
    private final List<Mail> said = new ArrayList<>();
    private long puts;

    private void step() {
        List<Mail> mails = new ArrayList<>();
        nodes.forEach((id, node) -> {
            node.turn.advance(Duration.ofMillis(50));
            node.protocol.onTimer(node.turn);
            node.protocol.endOfTurn(node.turn);
            node.turn.completeStore();
            node.protocol.endOfTurn(node.turn);
            node.turn.completeStore();
            node.turn.sent.forEach(sent -> mails.add(new Mail(id, sent.to(), sent.type(), sent.body())));
            node.turn.sent.clear();
        });
        said.addAll(mails);
        mails.forEach(mail -> nodes.get(mail.to).take(mail, mail.body));
    }

    private void put(NodeId at) {
        Node node = nodes.get(at);
        MapEntry entry = new MapEntry(Slice.utf8("k" + puts % 7), Slice.utf8("v" + puts), 0);
        Slice put = MapOperation.encode(new MapOperation.Put(entry, Guard.NONE));
        node.protocol.onCommand(new GeoCommand.Submit(puts, 1, ++puts, 0, put), node.turn);
    }

    /** Writes, moves, and a node that loses its store and needs what is forgotten. */
    private void live() {
        said.clear();
        ThreeGroups.NODES.forEach(id -> nodes.put(id, new Node(id)));
        for (int i = 0; i < 240; i++) {
            if (i == 160) {
                nodes.put(NodeId.of("n3"), new Node(NodeId.of("n3")));
            }
            step();
            if (i > 60) {
                put(ThreeGroups.NODES.get(i % 3));
            }
            if (i % 40 == 39) {
                Node node = nodes.get(NodeId.of("n2"));
                node.protocol.onCommand(
                        new GeoCommand.Give(i, new long[] {1}, 1 << i % 3, 1 << (i + 1) % 3), node.turn);
            }
        }
    }

    @Test
    void damagedMessagesAreHandledOrRefused() {
        Random random = new Random(24);
        int refused = 0;
        for (int run = 0; run < 1_200; run++) {
            if (run % 100 == 0) {
                live();
                assertThat(said.stream().map(Mail::type).distinct())
                        .as("each type is there")
                        .hasSize(4);
                assertThat(GeoAudit.decided(nodes.get(NodeId.of("n1")).protocol, 0))
                        .isGreaterThan(20);
            }
            Mail mail = said.get(random.nextInt(said.size()));
            byte[] bytes = mail.body.toArray();
            for (int changes = 1 + random.nextInt(2); changes > 0; changes--) {
                bytes[PRINT + random.nextInt(bytes.length - PRINT)] ^= (byte) (1 << random.nextInt(8));
            }
            Node node = nodes.get(mail.to);
            try {
                node.take(mail, Slice.of(bytes));
                step();
            } catch (MalformedException e) {
                refused++;
            }
        }
        assertThat(refused).isBetween(100, 1_100);
    }
}
