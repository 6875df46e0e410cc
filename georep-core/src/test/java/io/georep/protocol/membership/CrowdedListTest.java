package io.georep.protocol.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.protocol.TestTurn;
import io.georep.protocol.membership.MembershipCluster.Disk;
import io.georep.protocol.membership.MembershipCluster.Process;
import io.georep.spi.StoreBatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** More names than a node keeps: nodes agree which, the lists come to rest, and whoever is there is known. */
class CrowdedListTest {
    private final MembershipCluster cluster = new MembershipCluster(5, ProtocolConfig.defaults());

    private static Disk withNames(String prefix, int count) {
        TestTurn turn = new TestTurn();
        StoreBatch batch = new StoreBatch();
        Timing timing = Timing.of(ProtocolConfig.defaults());
        for (int i = 0; i < count; i++) {
            PeerRecord record = new PeerRecord(NodeId.of(prefix + i), timing, turn.now());
            record.address = "10.9.9.9:" + (i + 1);
            record.incarnation = 1;
            StoredMembership.writePeer(record, turn.now(), turn.wallMillis(), batch);
        }
        // The dead never say to which cluster they belong: it was settled while they lived.
        OwnNode settled = new OwnNode(MembershipFixture.identity(MembershipFixture.A), null, timing);
        settled.cluster = 7;
        settled.settled = true;
        StoredMembership.writeCluster(settled, batch);
        Disk disk = new Disk();
        batch.ops().forEach(op -> disk.pairs.put(op.key(), op.value()));
        return disk;
    }

    private static List<String> names(Process node) {
        return node.membership.all().stream()
                .map(peer -> peer.id().value())
                .filter(name -> name.length() > 1)
                .collect(Collectors.toCollection(ArrayList::new));
    }

    @Test
    void nodesAgreeWhichNamesTheyKeepAndKnowAllThatAreThere() {
        cluster.tracing = false;
        cluster.eventsMax = 5_000_000;
        cluster.redialNanos = Duration.ofHours(1).toNanos();
        int each = PeerList.PEERS_MAX * 2 / 3;
        List<Process> nodes = new ArrayList<>();
        nodes.add(cluster.start("a", "10.0.0.1:7400", withNames("tests-", each)));
        nodes.add(cluster.start("b", "10.0.0.2:7400", withNames("pods-", each), "10.0.0.1:7400"));
        cluster.run(Duration.ofMinutes(2));
        nodes.add(cluster.start("c", "10.0.0.3:7400", new Disk(), "10.0.0.1:7400"));
        nodes.add(cluster.start("d", "10.0.0.4:7400", new Disk(), "10.0.0.2:7400"));
        cluster.run(Duration.ofMinutes(3));

        for (Process node : nodes) {
            assertThat(node.membership.digest())
                    .as("list of " + node.id)
                    .isEqualTo(nodes.get(0).membership.digest());
            assertThat(names(node)).as("names at " + node.id).isEqualTo(names(nodes.get(0)));
            assertThat(node.membership.all().size()).isBetween(PeerList.PEERS_MAX - 4, PeerList.PEERS_MAX + 4);
            for (Process other : nodes) {
                if (other != node) {
                    assertThat(node.peer(other.id.value()).state()).isEqualTo(PeerState.ACTIVE);
                }
            }
        }
        assertThat(names(nodes.get(0)))
                .anyMatch(name -> name.startsWith("tests"))
                .anyMatch(name -> name.startsWith("pods"));

        cluster.listBytes = 0;
        cluster.run(Duration.ofMinutes(1));
        assertThat(cluster.listBytes).as("bytes of lists once they are at rest").isZero();
    }
}
