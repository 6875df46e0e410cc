package io.georep.protocol.membership;

import static io.georep.protocol.membership.MembershipFixture.B;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.protocol.TestTurn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Walks every pair of state and input, allowed or refused. */
class PeerAutomatonTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long HOUR = 3600 * SECOND;
    private static final Timing TIMING = Timing.of(ProtocolConfig.defaults());

    /** Something that happens to a peer. */
    private interface Input {
        void apply(PeerAutomaton automaton, PeerRecord peer, TestTurn turn);
    }

    /** One row: the state after the input, for each state before it, P A S T R for Prospect … aRnold. */
    private record Row(String name, Input input, String after) {}

    private static final List<Row> TABLE = List.of(
            new Row("p2 frame", (a, p, t) -> a.p2Heard(p, t), "AAAAA"),
            new Row("p2 frame of the boot that said GOODBYE", PeerAutomatonTest::frameAfterGoodbye, "PASTR"),
            new Row("p2 frame of a removed boot", PeerAutomatonTest::frameAfterRemoval, "PASTR"),
            new Row("p3 silent for T_s", (a, p, t) -> a.p3Suspected(p, t), "PSSTR"),
            new Row("p4 silent for T_s + T_x", (a, p, t) -> a.p4GivenUp(p, t), "PATTR"),
            new Row("p5 GOODBYE(d)", (a, p, t) -> a.p5SaidGoodbye(p, 1, HOUR, t), "RRRRR"),
            new Row("p5 GOODBYE(0)", (a, p, t) -> a.p5SaidGoodbye(p, 1, 0, t), "TTTTT"),
            new Row("p5 GOODBYE older than known", PeerAutomatonTest::oldGoodbye, "PASTR"),
            new Row("p6 return overdue", (a, p, t) -> a.p6ReturnMissed(p, t), "PASTT"),
            new Row("p7 later return", (a, p, t) -> a.p7LaterReturn(p, t.now() + 9 * HOUR), "PASTR"),
            new Row("p8 blocks an entry", PeerAutomatonTest::blocked, "TASTR"),
            new Row("p8 blocks nothing", (a, p, t) -> a.p8BlockedTooLong(p, t), "PASTR"),
            new Row("p9, p10 gossip of GOODBYE", PeerAutomatonTest::gossip, "RRRTR"),
            new Row("p9, p10 gossip of GOODBYE that is over", PeerAutomatonTest::overdueGossip, "PRRTR"),
            new Row("p11 older frame", (a, p, t) -> a.p11StaleFrame(p), "PASTR"),
            new Row("p12 removed", (a, p, t) -> a.p12Removed(p, t), "TTTTT"));

    private static void frameAfterGoodbye(PeerAutomaton automaton, PeerRecord peer, TestTurn turn) {
        peer.goodbye = 1;
        automaton.p2Heard(peer, turn);
    }

    private static void frameAfterRemoval(PeerAutomaton automaton, PeerRecord peer, TestTurn turn) {
        peer.removedBelow = peer.incarnation + 1;
        automaton.p2Heard(peer, turn);
    }

    private static void oldGoodbye(PeerAutomaton automaton, PeerRecord peer, TestTurn turn) {
        peer.goodbye = 2;
        automaton.p5SaidGoodbye(peer, 1, HOUR, turn);
    }

    private static void blocked(PeerAutomaton automaton, PeerRecord peer, TestTurn turn) {
        peer.blocking = true;
        automaton.p8BlockedTooLong(peer, turn);
    }

    private static void gossip(PeerAutomaton automaton, PeerRecord peer, TestTurn turn) {
        automaton.p9GoodbyeByGossip(peer, turn.now() + HOUR, turn);
    }

    private static void overdueGossip(PeerAutomaton automaton, PeerRecord peer, TestTurn turn) {
        automaton.p9GoodbyeByGossip(peer, turn.now(), turn);
    }

    private record Case(String name, Input input, PeerState before, PeerState after) {
        @Override
        public String toString() {
            return name + ": " + before + " -> " + after;
        }
    }

    private static Stream<Case> cases() {
        List<Case> cases = new ArrayList<>();
        for (Row row : TABLE) {
            for (PeerState before : PeerState.values()) {
                cases.add(new Case(row.name, row.input, before, state(row.after, before)));
            }
        }
        return cases.stream();
    }

    private static PeerState state(String row, PeerState before) {
        return Arrays.stream(PeerState.values())
                .filter(state -> letter(state) == row.charAt(before.ordinal()))
                .findFirst()
                .orElseThrow();
    }

    private static char letter(PeerState state) {
        return state == PeerState.ARNOLD ? 'R' : state.name().charAt(0);
    }

    private static PeerRecord peer(PeerState state, TestTurn turn) {
        PeerRecord peer = new PeerRecord(B, TIMING, turn.now());
        peer.state = state;
        peer.incarnation = 1;
        peer.linked = true;
        peer.returnAtNanos = state == PeerState.ARNOLD ? turn.now() + HOUR : 0;
        return peer;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void movesAsTheTableSays(Case given) {
        TestTurn turn = new TestTurn();
        PeerRecord peer = peer(given.before, turn);

        given.input.apply(new PeerAutomaton(TIMING), peer, turn);

        assertThat(peer.state()).isEqualTo(given.after);
        List<TestTurn.Changed> moves = turn.changes.stream()
                .filter(change -> change.before() != change.after())
                .toList();
        if (given.before == given.after) {
            assertThat(moves).isEmpty();
        } else {
            assertThat(moves).containsExactly(new TestTurn.Changed(B, given.before, given.after));
            assertThat(turn.events(MembershipEvent.StateChanged.class))
                    .containsExactly(new MembershipEvent.StateChanged(B, "", given.before, given.after));
            assertThat(peer.stateSinceNanos()).isEqualTo(turn.now());
        }
    }

    @Test
    void welcomesWhoeverLeavesProspectArnoldOrTerminated() {
        for (PeerState before : PeerState.values()) {
            TestTurn turn = new TestTurn();
            PeerRecord peer = peer(before, turn);

            new PeerAutomaton(TIMING).p2Heard(peer, turn);

            boolean wasInTouch = before == PeerState.ACTIVE || before == PeerState.SCHRODINGER;
            assertThat(peer.welcomeDue).isEqualTo(!wasInTouch);
            assertThat(turn.reachable).hasSize(wasInTouch ? 0 : 1);
        }
    }

    @Test
    void aPeerWithoutLinkIsNotReachableYet() {
        TestTurn turn = new TestTurn();
        PeerRecord peer = peer(PeerState.TERMINATED, turn);
        peer.linked = false;

        new PeerAutomaton(TIMING).p2Heard(peer, turn);

        assertThat(turn.reachable).isEmpty();
    }

    @Test
    void goodbyeAddsGrace() {
        TestTurn turn = new TestTurn();
        PeerRecord peer = peer(PeerState.ACTIVE, turn);

        new PeerAutomaton(TIMING).p5SaidGoodbye(peer, 1, HOUR, turn);

        assertThat(peer.returnAtNanos).isEqualTo(turn.now() + HOUR + 5 * SECOND);
    }

    @Test
    void aSecondGoodbyeReplacesTheFirstEvenWhenShorter() {
        TestTurn turn = new TestTurn();
        PeerAutomaton automaton = new PeerAutomaton(TIMING);
        PeerRecord peer = peer(PeerState.ACTIVE, turn);
        automaton.p5SaidGoodbye(peer, 1, HOUR, turn);

        automaton.p5SaidGoodbye(peer, 2, SECOND, turn);
        assertThat(peer.returnAtNanos).isEqualTo(turn.now() + 6 * SECOND);

        automaton.p5SaidGoodbye(peer, 3, 0, turn);
        assertThat(peer.state()).isEqualTo(PeerState.TERMINATED);
    }

    @Test
    void aLaterReturnCountsWhenItIsMoreThanTravelTime() {
        TestTurn turn = new TestTurn();
        PeerAutomaton automaton = new PeerAutomaton(TIMING);
        PeerRecord peer = peer(PeerState.ARNOLD, turn);
        long deadlineNanos = peer.returnAtNanos;

        assertThat(automaton.p7LaterReturn(peer, deadlineNanos + 5 * SECOND)).isFalse();
        assertThat(peer.returnAtNanos).isEqualTo(deadlineNanos);
        assertThat(automaton.p7LaterReturn(peer, deadlineNanos + HOUR)).isTrue();
        assertThat(peer.returnAtNanos).isEqualTo(deadlineNanos + HOUR);
        assertThat(automaton.p7LaterReturn(peer, deadlineNanos)).isFalse();
        assertThat(peer.returnAtNanos).isEqualTo(deadlineNanos + HOUR);
    }

    @Test
    void anOlderFrameIsAnsweredWithWelcome() {
        PeerRecord peer = peer(PeerState.ACTIVE, new TestTurn());

        new PeerAutomaton(TIMING).p11StaleFrame(peer);

        assertThat(peer.welcomeDue).isTrue();
    }

    @Test
    void removalIsAnnouncedEvenWhenThePeerWasGivenUpBefore() {
        TestTurn turn = new TestTurn();
        PeerRecord peer = peer(PeerState.TERMINATED, turn);

        new PeerAutomaton(TIMING).p12Removed(peer, turn);

        assertThat(turn.changes).containsExactly(new TestTurn.Changed(B, PeerState.TERMINATED, PeerState.TERMINATED));
        assertThat(turn.events(MembershipEvent.Removed.class)).containsExactly(new MembershipEvent.Removed(B));
    }
}
