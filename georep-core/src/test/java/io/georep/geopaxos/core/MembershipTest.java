package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.consensus.Ballot;
import io.georep.consensus.LogMessage;
import io.georep.consensus.ReplicatedLog;
import io.georep.geopaxos.OrderedMapsLayout;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.geopaxos.core.messages.Layouts;
import io.georep.model.NodeId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Nodes come and go for good while operations go on. */
class MembershipTest {
    private static final long SECOND = 1000 * GeoCluster.MILLI;
    private static final NodeId N1 = NodeId.of("n1");
    private static final NodeId N2 = NodeId.of("n2");
    private static final NodeId N3 = NodeId.of("n3");
    private static final NodeId N4 = NodeId.of("n4");

    private final GeoCluster cluster =
            new GeoCluster(7, Rules::new, List.of(List.of(N1, N2, N3), List.of(N2, N3, N1), List.of(N3, N1, N2)));

    private void begin() {
        cluster.run(5 * SECOND);
        cluster.clients.begin(4);
        cluster.run(5 * SECOND);
    }

    private List<NodeId> voters(int group) {
        return SeatChanges.names(cluster.leader(group).node.log(group));
    }

    @Test
    void aDeadNodeIsReplacedForGood() {
        begin();
        cluster.crash(cluster.members.get(N3));
        cluster.add("n4");
        cluster.run(3 * SECOND);
        long before = cluster.clients.answers;
        assertThat(cluster.change(cluster.members.get(N1), N3, N4)).isNull();
        cluster.run(SECOND);
        cluster.settle();

        assertThat(voters(0)).containsExactly(N1, N2, N4);
        assertThat(voters(2)).as("at home where it was").containsExactly(N4, N1, N2);
        assertThat(cluster.answers).containsKey(GeoCluster.CHANGE);
        cluster.run(5 * SECOND);
        assertThat(cluster.leader(2).id).as("home").isEqualTo(N4);
        assertThat(cluster.clients.answers).isGreaterThan(before);

        cluster.crash(cluster.members.get(N1));
        cluster.run(5 * SECOND);
        long alone = cluster.clients.answers;
        cluster.run(5 * SECOND);
        assertThat(cluster.clients.answers).as("with the new one and N2").isGreaterThan(alone);
        cluster.boot(cluster.members.get(N1));
        cluster.end();
        assertThat(cluster.members.get(N2).node.executor().groupState(0).known.contacts())
                .as("nothing is known of the one that is gone")
                .doesNotContain(N3)
                .contains(N4);
    }

    @Test
    void aReplacedNodeThatComesBackHearsThatItIsNoMoreNeeded() {
        begin();
        cluster.crash(cluster.members.get(N3));
        cluster.add("n4");
        cluster.change(cluster.members.get(N2), N3, N4);
        cluster.run(SECOND);
        cluster.settle();
        cluster.boot(cluster.members.get(N3));
        cluster.run(10 * SECOND);

        assertThat(SeatChanges.names(cluster.members.get(N3).node.log(0))).doesNotContain(N3);
        assertThat(cluster.members.get(N3).isLeased()).isFalse();
        cluster.end();
    }

    @Test
    void replicasComeAndGo() {
        begin();
        GeoMember added = cluster.add("n4");
        cluster.run(3 * SECOND);
        assertThat(added.node.log(0).decided()).as("before an operator adds it").isZero();
        cluster.change(cluster.members.get(N2), null, N4);
        cluster.run(5 * SECOND);
        assertThat(added.node.log(0).decided()).isPositive();
        assertThat(cluster.layout().replicas()).containsExactly(N4);
        cluster.end();

        cluster.change(added, N4, null);
        cluster.run(5 * SECOND);
        long last = added.node.log(0).decided();
        cluster.change(cluster.members.get(N1), null, cluster.add("n5").id);
        cluster.run(5 * SECOND);
        assertThat(added.node.log(0).decided()).as("once it is removed").isEqualTo(last);
        assertThat(cluster.leader(0).node.log(0).decided()).isGreaterThan(last);
    }

    /** Two operators at once: the first one counts, the other one hears of it. */
    @Test
    void ofTwoChangesAtOnceOneCounts() {
        begin();
        cluster.add("n4");
        cluster.add("n5");
        GeoMember other = cluster.members.get(N3);
        cluster.change(cluster.members.get(N1), N2, N4);
        cluster.change(other, N2, NodeId.of("n5"));
        cluster.run(3 * SECOND);
        cluster.settle();

        assertThat(cluster.layout().version()).isEqualTo(1);
        assertThat(voters(0)).hasSize(3).doesNotContain(N2);
        boolean isFirst = cluster.answers.containsKey(GeoCluster.CHANGE);
        assertThat(isFirst).isTrue();
        assertThat(List.of(cluster.members.get(N1), other).stream()
                        .filter(each -> each.refused.get(GeoCluster.CHANGE) == GeoEvent.Reason.OUTDATED))
                .hasSize(1);
        cluster.end();
    }

    /** Nothing else is proposed, so nothing comes behind the change that is lost. */
    @Test
    void aChangeThatItsLeaderLostWithTheLeadIsMadeOnIdleMaps() {
        cluster.run(5 * SECOND);
        cluster.add("n4");
        cluster.run(3 * SECOND);
        GeoMember leader = cluster.members.get(N1);
        ReplicatedLog log = leader.node.log(0);
        Ballot led = log.following(leader.now());
        OrderedMapsLayout next = Layouts.changed(leader.node.membership().layout(), N3, N4);
        LogMessage other =
                new LogMessage.Prepare(new Ballot(led.round() + 1, N2), false, log.decided(), log.seats(), led, false);
        leader.turn(() -> {
            leader.node.onMessage(N2, new GeoMessage.Change(next), leader.now());
            leader.node.onMessage(N2, new GeoMessage.Log(0, other), leader.now());
        });
        cluster.run(5 * SECOND);
        assertThat(cluster.leader(0).id).isEqualTo(N1);
        assertThat(cluster.change(leader, N3, N4)).isNull();
        cluster.run(15 * SECOND);
        assertThat(leader.refused).isEmpty();
        assertThat(cluster.answers).containsKey(GeoCluster.CHANGE);
    }

    /** Leaders that follow each other may both have proposed one. */
    @Test
    void ofTwoChangesWithOneVersionTheFirstCounts() {
        begin();
        SeatChanges membership = cluster.members.get(N1).node.membership();
        OrderedMapsLayout first = Layouts.changed(membership.layout(), N3, N4);
        OrderedMapsLayout second = Layouts.changed(membership.layout(), N2, N4);
        membership.decided(first);
        membership.decided(second);
        assertThat(membership.layout()).isEqualTo(first);
    }

    /** It votes in one group, and must execute what others order. */
    @Test
    void whoIsToBeReplacedGetsEverythingUntilThen() {
        GeoCluster world =
                new GeoCluster(7, Rules::new, List.of(List.of(N1, N2, N3), List.of(N2, N3, N1), List.of(N3, N2, N4)));
        world.run(5 * SECOND);
        world.clients.begin(4);
        world.crash(world.add("n5"));
        world.change(world.members.get(N1), N4, NodeId.of("n5"));
        world.run(5 * SECOND);
        assertThat(world.layout().version()).isEqualTo(1);
        long before = world.members.get(N4).node.log(0).decided();
        world.run(5 * SECOND);
        assertThat(world.members.get(N4).node.log(0).decided()).isGreaterThan(before + 5);
    }

    /** The new one never comes up: the operator takes another one. */
    @Test
    void aChangeThatCannotEndIsChangedAgain() {
        begin();
        cluster.crash(cluster.members.get(N3));
        cluster.crash(cluster.add("n4"));
        cluster.change(cluster.members.get(N1), N3, N4);
        cluster.run(5 * SECOND);
        assertThat(cluster.isSettled()).isFalse();
        assertThat(voters(0)).containsExactly(N1, N2, N3);

        cluster.add("n5");
        assertThat(cluster.change(cluster.members.get(N1), N4, NodeId.of("n5"))).isNull();
        cluster.run(SECOND);
        cluster.settle();
        assertThat(voters(0)).containsExactly(N1, N2, NodeId.of("n5"));
        cluster.end();
    }

    @Test
    void whatAnOperatorCannotMeanIsRefused() {
        begin();
        GeoMember contact = cluster.members.get(N1);
        assertThat(cluster.change(contact, N4, NodeId.of("n5"))).contains("n4 holds no ordered maps");
        assertThat(cluster.change(contact, N1, N2)).contains("n2 votes already");
        assertThat(cluster.change(contact, N1, null)).contains("name the node that takes its place");
        assertThat(cluster.change(contact, null, N2)).contains("holds the ordered maps already");
        assertThat(cluster.change(contact, null, null)).contains("name a node");
        assertThat(cluster.layout().version()).isZero();
    }

    /** One seat at least has to stay, to tell the others. */
    @Test
    void theOnlyVoterOfAGroupIsReplaced() {
        GeoCluster world =
                new GeoCluster(7, Rules::new, List.of(List.of(N1), List.of(N2, N3, N1), List.of(N3, N1, N2)));
        world.run(5 * SECOND);
        world.add("n4");
        assertThat(world.change(world.members.get(N2), N1, N4)).isNull();
        for (int wait = 0; wait < 20 && !(world.layout().version() > 0 && world.isSettled()); wait++) {
            world.run(SECOND);
        }
        assertThat(world.isSettled()).isTrue();
        assertThat(SeatChanges.names(world.leader(0).node.log(0))).containsExactly(N4);
    }
}
