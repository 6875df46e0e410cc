package io.georep.geopaxos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.georep.model.NodeId;
import io.georep.testing.LocalCluster;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real nodes in this JVM of which one is replaced. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class ReplacedNodeTest extends OrderedMapsCluster {
    private static final NodeId N3 = NodeId.of("n3");
    private static final NodeId N4 = NodeId.of("n4");
    private static final OrderedMapSettings SETTINGS = OrderedMapSettings.of("n1", "n2", "n3")
            .times(Duration.ofMillis(500), Duration.ofSeconds(60))
            .transactions(new Transfer());

    @BeforeEach
    void start() {
        cluster = LocalCluster.start(4, builder -> builder.orderedMaps(SETTINGS));
    }

    private void awaitLeader() {
        await().atMost(60, TimeUnit.SECONDS).until(() -> group(1).leader() != null);
    }

    private OrderedMapsStatistics.Group group(int number) {
        return get(maps(number).readStatistics()).groups().get(0);
    }

    @Test
    void aNodeIsReplacedForGoodWithItsVote() {
        OrderedMap<String, String> map = maps(1).map(Transfer.ACCOUNTS);
        awaitLeader();
        get(map.put("a", "1"));
        cluster.node(3).halt();

        OrderedMapsLayout would = get(maps(1).replace(N3, N4, true));
        assertThat(would.groups()).containsExactly(List.of(NodeId.of("n1"), NodeId.of("n2"), N4));
        assertThat(group(1).voters()).contains(N3);

        assertThat(get(maps(2).replace(N3, N4, false))).isEqualTo(would);
        await().atMost(60, TimeUnit.SECONDS).until(() -> group(1).voters().contains(N4) && !group(1).changing());
        cluster.node(2).halt();
        get(map.put("a", "2"));
        assertThat(get(maps(4).map(Transfer.ACCOUNTS).get("a"))).contains("2");
    }

    @Test
    void aNodeThatHoldsNothingHasItsCallsMadeByOthers() {
        awaitLeader();
        OrderedMap<String, String> map = maps(4).map(Transfer.ACCOUNTS);
        await().atMost(60, TimeUnit.SECONDS).ignoreExceptions().untilAsserted(() -> get(map.put("ann", "10")));
        assertThat(get(maps(4).call(new Transfer(), "ann,bob,4"))).isEqualTo("6");
        assertThat(map.getBlocking("bob")).isEqualTo("4");
        assertThat(get(map.size())).isEqualTo(2);
        assertThat(get(maps(1).map(Transfer.ACCOUNTS).get("bob"))).isEqualTo("4");
        OrderedMapsStatistics statistics = get(maps(4).readStatistics());
        assertThat(statistics.keys()).isZero();
        assertThat(statistics.groups()).isEmpty(); // else it would be out of service without a leader

        cluster.node(1).halt();
        OperationNumber number = new OperationNumber(7, 1, 0);
        await().atMost(60, TimeUnit.SECONDS)
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(get(maps(4).call(new Transfer(), "ann,bob,1", number)))
                        .isEqualTo("5"));
        assertThat(get(map.get("bob"))).isEqualTo("5");
    }

    @Test
    void aGroupIsAddedForAnotherSite() {
        awaitLeader();
        List<NodeId> voters = List.of(N4, NodeId.of("n1"), NodeId.of("n2"));
        assertThatThrownBy(() -> get(maps(1).addGroup(List.of(NodeId.of("n9")), true)))
                .hasCauseInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("n9 is not known here");
        OrderedMapsLayout would = get(maps(1).addGroup(voters, true));
        assertThat(would.groups()).hasSize(2).endsWith(voters);
        assertThat(get(maps(1).readStatistics()).groups()).hasSize(1);

        assertThat(get(maps(2).addGroup(voters, false))).isEqualTo(would);
        await().atMost(60, TimeUnit.SECONDS)
                .until(() -> get(maps(3).readStatistics()).groups().stream()
                        .anyMatch(each -> each.number() == 1 && N4.equals(each.leader())));
    }

    @Test
    void aGroupGoesOnFromTheCopyOfOneNode() {
        awaitLeader();
        get(maps(1).addReplica(N4, false));
        get(maps(1).map(Transfer.ACCOUNTS).put("a", "1"));
        cluster.node(1).halt();
        cluster.node(2).halt();
        List<NodeId> lost = List.of(NodeId.of("n1"), NodeId.of("n2"));
        List<NodeId> voters = List.of(N3, N4);
        await().atMost(60, TimeUnit.SECONDS)
                .ignoreExceptions()
                .until(() -> get(maps(3).restoreGroup(0, lost, voters, true)).kept() > 0);
        assertThat(group(3).leader()).isNull();

        OrderedMapsRestoration done = get(maps(3).restoreGroup(0, lost, voters, false));
        assertThat(done.layout().groups()).containsExactly(voters);
        await().atMost(60, TimeUnit.SECONDS).until(() -> group(3).voters().equals(voters) && !group(3).changing());
        OrderedMap<String, String> map = maps(4).map(Transfer.ACCOUNTS);
        assertThat(get(map.get("a"))).contains("1");
        get(map.put("a", "2"));
        assertThat(get(maps(3).map(Transfer.ACCOUNTS).get("a"))).contains("2");
    }

    @Test
    void whatIsNotPossibleIsRefused() {
        assertThatThrownBy(() -> get(maps(1).replace(N4, N3, false))).hasMessageContaining("n4 holds no ordered maps");
        assertThatThrownBy(() -> get(maps(1).replace(N3, NodeId.of("n9"), true)))
                .hasCauseInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("n9 is not known here");
        assertThatThrownBy(() -> get(maps(1).removeReplica(N3, true))).hasMessageContaining("takes its place");
        awaitLeader();
        OrderedMapsLayout added = get(maps(1).addReplica(N4, false));
        assertThat(added.replicas()).containsExactly(N4);
        await().atMost(60, TimeUnit.SECONDS)
                .ignoreExceptions() // it knows of no group at first
                .until(() -> group(4).leader() != null);
        assertThat(get(maps(4).removeReplica(N4, false)).replicas()).isEmpty();
    }
}
