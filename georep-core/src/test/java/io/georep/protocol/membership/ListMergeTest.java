package io.georep.protocol.membership;

import static io.georep.protocol.membership.MembershipFixture.B;
import static io.georep.protocol.membership.MembershipFixture.C;
import static io.georep.protocol.membership.MembershipFixture.drained;
import static io.georep.protocol.membership.MembershipFixture.entry;
import static io.georep.protocol.membership.MembershipFixture.hardened;
import static io.georep.protocol.membership.MembershipFixture.identity;
import static io.georep.protocol.membership.MembershipFixture.reborn;
import static io.georep.protocol.membership.MembershipFixture.removed;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ListMergeTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final NodeIdentity PEER = identity(B);
    private static final NodeIdentity OTHER = identity(C);

    private final MembershipFixture node = hardened();

    @BeforeEach
    void boot() {
        node.boot();
        node.meet(PEER);
        node.turn.forget();
    }

    @Test
    void namesLearntFromListsBecomeProspectsAndAreDialled() {
        node.list(PEER, entry(OTHER));

        assertThat(node.state(C)).isEqualTo(PeerState.PROSPECT);
        assertThat(node.turn.targets).containsEntry(C, "c:1");
        assertThat(node.turn.events).contains(new MembershipEvent.StateChanged(C, "west", null, PeerState.PROSPECT));
    }

    @Test
    void aChangedListIsBroadcastOnceAndAnUnchangedOneNotAtAll() {
        node.list(PEER, entry(OTHER));
        assertThat(node.turn.sent(B, MembershipMessages.PEERS)).hasSize(1);

        node.turn.forget();
        node.list(PEER, entry(OTHER));
        assertThat(node.turn.sent(B, MembershipMessages.PEERS)).isEmpty();
    }

    @Test
    void theHigherBootWins() {
        node.list(PEER, entry(reborn(OTHER)));
        node.list(PEER, entry(OTHER));

        assertThat(node.peer(C).incarnation()).isEqualTo(2);
        assertThat(node.peer(C).nonce).isEqualTo(78);
    }

    @Test
    void goodbyeByGossipSendsActiveAndSuspectedPeersAway() {
        node.meet(OTHER);
        node.list(PEER, entry(OTHER, 1, HOUR));

        assertThat(node.state(C)).isEqualTo(PeerState.ARNOLD);
        assertThat(node.peer(C).returnAtNanos).isEqualTo(node.turn.now() + HOUR.toNanos());
    }

    @Test
    void goodbyeByGossipThatIsOverMeansGivenUpOnceItWasSilentHereToo() {
        node.meet(OTHER);
        node.list(PEER, entry(OTHER, 1, Duration.ZERO));
        node.advance(Duration.ZERO);
        assertThat(node.state(C)).isEqualTo(PeerState.ARNOLD);
        node.advance(Duration.ofSeconds(31));

        assertThat(node.turn.changes)
                .filteredOn(change -> change.peer().equals(C))
                .containsExactly(
                        new TestTurn.Changed(C, PeerState.PROSPECT, PeerState.ACTIVE),
                        new TestTurn.Changed(C, PeerState.ACTIVE, PeerState.ARNOLD),
                        new TestTurn.Changed(C, PeerState.ARNOLD, PeerState.TERMINATED));
    }

    /** What others say leaves time for what is still under way; its own word, which comes in order, needs none. */
    @Test
    void goodbyeForGoodByGossipAndThenByTheNodeItselfMeansGivenUpAtOnce() {
        node.meet(OTHER);
        PeerEntry told = entry(OTHER, 1, Duration.ZERO);
        node.list(
                PEER,
                new PeerEntry(
                        told.id(),
                        told.address(),
                        told.site(),
                        told.incarnation(),
                        told.generation(),
                        told.nonce(),
                        1,
                        0,
                        0,
                        false,
                        0,
                        0,
                        HOUR.toMillis()));
        assertThat(node.state(C)).isEqualTo(PeerState.ARNOLD);

        node.goodbye(OTHER, 1, Duration.ZERO);

        assertThat(node.state(C)).isEqualTo(PeerState.TERMINATED);
    }

    @Test
    void goodbyeOfAnEarlierBootIsOldNews() {
        node.meet(reborn(OTHER));
        node.list(PEER, entry(OTHER, 1, HOUR));

        assertThat(node.state(C)).isEqualTo(PeerState.ACTIVE);
    }

    /** Its store was lost, so the next boot used the number again. */
    @Test
    void goodbyeOfAnotherBootWithTheSameNumberDoesNotKeepThisOneOut() {
        NodeIdentity again = new NodeIdentity(C, OTHER.incarnation(), 9, OTHER.nonce() + 1, "c:1", "west");
        node.list(PEER, entry(OTHER, 1, HOUR));
        node.list(PEER, entry(again));
        node.frame(again);
        assertThat(node.state(C)).isEqualTo(PeerState.ACTIVE);

        node.list(PEER, entry(OTHER, 1, HOUR));
        assertThat(node.state(C)).isEqualTo(PeerState.ACTIVE);
        assertThat(node.told(C).goodbye()).isZero();
    }

    @Test
    void framesOfTheBootThatSaidGoodbyeDoNotBringItBackButItsNextBootDoes() {
        node.meet(OTHER);
        node.list(PEER, entry(OTHER, 1, HOUR));

        assertThat(node.frame(OTHER)).as("its messages are still handled").isTrue();
        assertThat(node.state(C)).isEqualTo(PeerState.ARNOLD);

        node.frame(reborn(OTHER));
        assertThat(node.state(C)).isEqualTo(PeerState.ACTIVE);
        assertThat(node.told(C).goodbye()).isZero();
    }

    @Test
    void goodbyeByGossipIsIgnoredForAPeerGivenUp() {
        node.meet(OTHER);
        node.advanceHearing(Duration.ofSeconds(31), PEER);
        assertThat(node.state(C)).isEqualTo(PeerState.TERMINATED);

        node.list(PEER, entry(OTHER, 1, HOUR));
        assertThat(node.state(C)).isEqualTo(PeerState.TERMINATED);
    }

    @Test
    void aPeerMetAsAwayIsWaitedForFromTheStart() {
        node.list(PEER, entry(OTHER, 1, HOUR));

        assertThat(node.state(C)).isEqualTo(PeerState.ARNOLD);
        node.advanceHearing(HOUR, PEER);
        assertThat(node.state(C)).isEqualTo(PeerState.TERMINATED);
    }

    @Test
    void theReturnToldIsWhatIsLeft() {
        node.list(PEER, entry(OTHER, 1, HOUR));
        node.advanceHearing(Duration.ofMinutes(20), PEER);
        node.message(PEER, MembershipMessages.HELLO, MembershipMessages.hello(1));

        assertThat(node.told(C).returnMillis()).isEqualTo(Duration.ofMinutes(40).toMillis());
    }

    @Test
    void drainIsDecidedByTheLastWriter() {
        node.list(PEER, drained(entry(OTHER), 1, true));
        assertThat(node.peer(C).drained()).isTrue();

        node.list(PEER, drained(entry(OTHER), 1, false));
        assertThat(node.peer(C).drained())
                .as("of equal versions the one that drains")
                .isTrue();

        node.list(PEER, drained(entry(OTHER), 2, false));
        assertThat(node.peer(C).drained()).isFalse();
        assertThat(node.turn.events(MembershipEvent.Drained.class))
                .containsExactly(new MembershipEvent.Drained(C, true), new MembershipEvent.Drained(C, false));
        assertThat(node.turn.changes)
                .containsExactly(
                        new TestTurn.Changed(C, PeerState.PROSPECT, PeerState.PROSPECT),
                        new TestTurn.Changed(C, PeerState.PROSPECT, PeerState.PROSPECT));
    }

    @Test
    void ofTwoOperatorsWithOneVersionTheOneThatDrainsIsBelievedInEitherOrder() {
        node.list(PEER, drained(entry(OTHER), 1, false));
        assertThat(node.peer(C).drained()).isFalse();

        node.list(PEER, drained(entry(OTHER), 1, true));

        assertThat(node.peer(C).drained()).isTrue();
    }

    @Test
    void aRemovalNearlyForgottenIsNotLearntAgain() {
        node.list(PEER, removed(entry(OTHER), 2, Duration.ofSeconds(30)));

        assertThat(node.peer(C)).isNull();
    }

    /** The process that was removed was out of reach until all had forgotten that, and says so itself (M24). */
    @Test
    void theRemovalOfAnEarlierProcessDoesNotRemoveTheOneThatLivesUnderItsName() {
        node.meet(OTHER);

        node.list(PEER, removed(entry(identity(C, 5, "old:1", 99)), 6, HOUR));
        node.list(PEER, removed(entry(identity(C, OTHER.incarnation(), "old:1", 99)), 2, HOUR));
        assertThat(node.state(C)).isEqualTo(PeerState.ACTIVE);
        assertThat(node.peer(C).removed()).isFalse();

        node.list(PEER, removed(entry(OTHER), 2, HOUR));
        assertThat(node.peer(C).removed()).isTrue();
    }

    @Test
    void hearsayDoesNotPushALivingProcessAside() {
        NodeIdentity twin = identity(B, 9, "elsewhere:1", 99);
        node.meet(OTHER);

        node.list(OTHER, entry(twin));
        assertThat(node.peer(B).incarnation()).isEqualTo(1);
        assertThat(node.turn.targets).containsEntry(B, "b:1");

        node.advanceHearing(Duration.ofSeconds(31), OTHER);
        node.list(OTHER, entry(twin));
        assertThat(node.peer(B).incarnation()).isEqualTo(9);
        assertThat(node.turn.targets).containsEntry(B, "elsewhere:1");
    }

    @Test
    void anyOrderAndRepetitionOfListsLeadsToTheSameList() {
        List<PeerEntry> facts = new ArrayList<>();
        for (String name : List.of("c", "d", "e")) {
            NodeIdentity boot = identity(NodeId.of(name));
            facts.add(entry(boot));
            facts.add(entry(boot, 1, HOUR));
            facts.add(entry(boot, 2, HOUR));
            facts.add(drained(entry(boot), 1, true));
            facts.add(drained(entry(boot), 2, false));
            facts.add(removed(entry(boot), 2, HOUR));
            facts.add(entry(reborn(boot)));
            facts.add(entry(identity(boot.id(), 2, "moved:1", 500)));
            facts.add(entry(reborn(reborn(boot)), 1, HOUR));
        }
        long expected = digestAfter(facts);

        for (long seed = 0; seed < 200; seed++) {
            List<PeerEntry> shuffled = new ArrayList<>(facts);
            shuffled.addAll(facts);
            Collections.shuffle(shuffled, new Random(seed));

            assertThat(digestAfter(shuffled)).as("seed %d", seed).isEqualTo(expected);
        }
    }

    private static long digestAfter(List<PeerEntry> facts) {
        Timing timing = Timing.of(ProtocolConfig.defaults());
        PeerAutomaton automaton = new PeerAutomaton(timing);
        PeerList list = new PeerList(NodeId.of("self"), timing, automaton);
        ListMerge merge = new ListMerge(timing, list, automaton);
        TestTurn turn = new TestTurn();
        facts.forEach(fact -> merge.merge(fact, turn));
        return list.digest(new OwnNode(identity(MembershipFixture.A), null, timing));
    }
}
