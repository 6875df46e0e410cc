package io.georep.outbox.core;

import static io.georep.outbox.core.OutboxFixture.A;
import static io.georep.outbox.core.OutboxFixture.B;
import static io.georep.outbox.core.OutboxFixture.C;
import static io.georep.outbox.core.OutboxFixture.D;
import static io.georep.outbox.core.OutboxFixture.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.model.RejectedException;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.owners.Relocation;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.BootKind;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** New owners for entries that have an owner too few, and drained nodes (6.3(5)), message by message. */
class RelocationTest {
    private static final Duration T_RR = Duration.ofMinutes(1);
    private static final Duration TICK = Duration.ofMillis(1100);

    private final OutboxFixture a =
            new OutboxFixture(ProtocolConfig.builder().reReplicateAfter(T_RR).build());

    private OutboxFixture withMove() {
        a.stored(2, B).become(B, PeerState.TERMINATED).settle();
        return a.advance(T_RR.plus(TICK));
    }

    @Test
    void anOwnerIsReplacedOnceItWasGivenUpForSoLong() {
        a.stored(2, B).become(B, PeerState.TERMINATED).settle();

        a.advance(T_RR.minus(TICK));
        assertThat(a.told(C, OutboxMessages.REPLICATE).isEmpty()).isTrue();

        a.advance(TICK.multipliedBy(2));
        assertThat(a.told(C, OutboxMessages.REPLICATE)).hasToString("[0..2]");
        assertThat(a.custodyOf(a.own(), 0).owners())
                .as("until the copy is there")
                .containsExactly(A, B);
    }

    @Test
    void aTargetIsToldInAnyCaseUntilItIsAnOwner() {
        withMove();
        assertThat(a.table(a.own()).duties.unreleased.of(C).all()).hasToString("[0..2]");

        a.reboot(BootKind.PROMPT);

        assertThat(a.node.inspect()
                        .ledger()
                        .tables()
                        .iterator()
                        .next()
                        .duties
                        .unreleased
                        .of(C)
                        .all())
                .hasToString("[0..2]");
    }

    @Test
    void theLostOwnerIsReleasedWhenTheNewOneHasTheCopy() {
        withMove();

        a.ack(C, a.own(), OutboxMessages.STATUS_STORED, 1, range(0, 2)).step();
        assertThat(a.forced).isTrue();
        a.complete();

        assertThat(a.custodyOf(a.own(), 0).owners()).containsExactly(A, C);
        assertThat(a.custodyOf(a.own(), 0).epoch()).isEqualTo(1);
        assertThat(a.table(a.own()).duties.unreleased.owners()).containsOnly(B);
        assertThat(a.table(a.own()).duties.unconfirmed.owners()).containsOnly(C);
    }

    @Test
    void aMoveGivenUpRaisesTheEpochAboveTheCopyThatMayExist() {
        withMove();

        a.ack(C, a.own(), OutboxMessages.STATUS_REFUSED, 1, range(0, 2)).settle();

        assertThat(a.custodyOf(a.own(), 0).owners()).containsExactly(A, B);
        assertThat(a.custodyOf(a.own(), 0).epoch()).isEqualTo(2);
        assertThat(a.claims(C, OutboxMessages.RELEASE))
                .extracting(Custody::epoch)
                .contains(2L);
    }

    /** Its answer to the release before the last copy says nothing of that one, which it may have stored. */
    @Test
    void aMoveGivenUpIsToldAlthoughAnEarlierReleaseIsConfirmedMeanwhile() {
        a.peers.peer(D).drained = true;
        withMove();
        a.ack(C, a.own(), OutboxMessages.STATUS_REFUSED, 1, range(0, 2)).settle();
        a.turn.forget();
        a.advance(TICK.multipliedBy(3));
        assertThat(a.told(C, OutboxMessages.REPLICATE)).hasToString("[0..2]");

        a.confirm(C, OutboxMessages.RELEASED, a.own(), range(0, 2)).settle();
        a.peers.peer(C).linked = false;
        a.become(C, PeerState.SCHRODINGER).settle().advance(TICK);

        assertThat(a.custodyOf(a.own(), 0).epoch()).isEqualTo(4);
        assertThat(a.table(a.own()).duties.unreleased.of(C).all()).hasToString("[0..2]");
    }

    @Test
    void whoRefusedIsLeftAloneForLongerEachTime() {
        a.peers.peer(D).drained = true;
        withMove();
        int refusals = 0;
        for (int second = 0; second < 100; second++) {
            if (!a.told(C, OutboxMessages.REPLICATE).isEmpty()) {
                refusals++;
                a.turn.forget();
                a.ack(
                        C,
                        a.own(),
                        OutboxMessages.STATUS_REFUSED,
                        a.custodyOf(a.own(), 0).epoch() + 1,
                        range(0, 2));
                a.settle();
            }
            a.advance(TICK);
        }

        // after 1, 2, 4, 8, 16, 32, 32 seconds
        assertThat(refusals).isBetween(5, 9);
    }

    @Test
    void aTargetThatKnowsTheEndEndsTheEntry() {
        withMove();

        a.ack(C, a.own(), OutboxMessages.STATUS_DELETED, 1, range(0, 2)).settle();

        assertThat(a.custodyOf(a.own(), 0)).isNull();
        assertThat(a.table(a.own()).finished.contains(1)).isTrue();
        assertThat(a.told(B, OutboxMessages.DELETE).isEmpty())
                .as("b has no link")
                .isTrue();
        assertThat(a.table(a.own()).duties.untold.owners()).contains(B);
    }

    @Test
    void aDrainedNodeHandsOverWhatItsApplicationIsNotWorkingOn() {
        a.stored(3, B).credit(1).settle().reachable(B).settle();
        a.peers.drained = true;
        a.advance(TICK.multipliedBy(2));
        assertThat(a.custodyOf(a.own(), 1).first())
                .as("b has not said that it has the copy")
                .isEqualTo(A);

        a.answer(B, a.own(), OutboxMessages.ANSWER_COPY, OutboxFixture.custody(0, A, B), range(0, 3));
        a.advance(TICK.multipliedBy(2));

        assertThat(a.custodyOf(a.own(), 0).first()).isEqualTo(A);
        assertThat(a.custodyOf(a.own(), 1).order()).containsExactly(B, A);
        assertThat(a.custodyOf(a.own(), 1).epoch()).isEqualTo(1);
        assertThat(a.told(B, OutboxMessages.UPDATE)).hasToString("[1..3]");
    }

    @Test
    void whoeverIsHandedAnEntryHearsOfACommitThatItMissed() {
        a.prepared(2, B).peers.peer(B).linked = false;
        a.decide(true, 0).settle();
        assertThat(a.told(B, OutboxMessages.DECIDED).isEmpty()).isTrue();

        drain();

        assertThat(a.custodyOf(a.own(), 0).order()).containsExactly(B, A);
        assertThat(a.told(B, OutboxMessages.DECIDED)).hasToString("[0..1]");
    }

    /** Its copy left before the decision, which was told to those alone who were owners then. */
    @Test
    void aNewOwnerHearsOfACommitThatItsCopyDoesNotKnow() {
        a.prepared(2, B).become(B, PeerState.TERMINATED).settle().advance(T_RR.plus(TICK));
        a.decide(true, 0).settle();

        a.ack(C, a.own(), OutboxMessages.STATUS_STORED, 1, range(0, 2)).settle();

        assertThat(a.custodyOf(a.own(), 0).owners()).containsExactly(A, C);
        assertThat(a.told(C, OutboxMessages.DECIDED)).hasToString("[0..1]");
    }

    /** Its producer is at work here; a heartbeat after its decision the entry goes. */
    @Test
    void aDrainedNodeKeepsWhatItsProducerHasYetToDecide() {
        a.prepared(2, B);
        drain();
        assertThat(a.custodyOf(a.own(), 0).first()).isEqualTo(A);

        a.decide(true, 0).settle().advance(TICK);

        assertThat(a.custodyOf(a.own(), 0).first()).isEqualTo(B);
        assertThat(a.custodyOf(a.own(), 1).first()).isEqualTo(A);
        assertThat(a.told(B, OutboxMessages.DECIDED)).hasToString("[0..1]");
    }

    /** Nobody decides here any more but whoever looks it up, which others can do as well. */
    @Test
    void aDrainedNodeHandsOverWhatAnEarlierBootLeftUndecided() {
        StreamId own = a.prepared(1, B).own();
        a.reboot(BootKind.PROMPT);

        drain();

        assertThat(a.custodyOf(own, 0).first()).isEqualTo(B);
    }

    private void drain() {
        a.reachable(B).settle();
        for (StreamTable table : a.node.inspect().ledger().tables()) {
            a.answer(B, table.id, OutboxMessages.ANSWER_COPY, OutboxFixture.custody(0, A, B), range(0, 2));
        }
        a.turn.forget();
        a.peers.drained = true;
        a.advance(TICK.multipliedBy(2));
    }

    @Test
    void whatIsHandedOverGoesToTheTargetAmongItsOwners() {
        handOverTo(D).put(2, 3).settle();
        assertThat(a.told(D, OutboxMessages.REPLICATE)).hasToString("[0..3]");
        assertThat(a.told(B, OutboxMessages.REPLICATE)).hasToString("[0..3]");
        assertThat(a.told(C, OutboxMessages.REPLICATE).isEmpty()).isTrue();
        a.ack(B, a.own(), OutboxMessages.STATUS_STORED, 0, range(0, 3));
        a.ack(D, a.own(), OutboxMessages.STATUS_STORED, 0, range(0, 2)).settle();
        a.reachable(D).settle();
        a.answer(D, a.own(), OutboxMessages.ANSWER_COPY, OutboxFixture.custody(0, A, D, B), range(0, 2));

        a.advance(TICK.multipliedBy(2));

        assertThat(a.custodyOf(a.own(), 1).order()).containsExactly(D, B, A);
        assertThat(a.custodyOf(a.own(), 1).epoch()).isEqualTo(1);
        assertThat(a.custodyOf(a.own(), 2).first())
                .as("d has no copy of the last one yet")
                .isEqualTo(A);
        assertThat(a.told(D, OutboxMessages.UPDATE)).hasToString("[0..2]");
    }

    @Test
    void nothingIsAcceptedWhileNoTargetIsInReach() {
        a.peers.peer(D).linked = false;
        handOverTo(D).put(1, 1).settle();

        assertThat(a.turn.events(OutboxEvent.PutFailed.class))
                .singleElement()
                .satisfies(failed -> assertThat(failed.cause())
                        .isInstanceOf(RejectedException.class)
                        .hasMessageContaining("hands over"));
    }

    private OutboxFixture handOverTo(NodeId target) {
        a.node.onCommand(
                new OutboxCommand.HandOver(
                        OutboxFixture.QUEUE, candidate -> candidate.id().equals(target)),
                a.turn);
        return a;
    }

    /** A heartbeat looks at a bounded number of streams, in turns. */
    @Test
    void aLostOwnerIsFoundBehindManyStreamsAndAgainBeforeThem() {
        int streams = 2 * Relocation.TABLES_PER_TICK;
        for (int lane = 0; lane < streams; lane++) {
            store(lane, B);
        }
        a.peers.peer(B).linked = false;
        StreamId last = store(streams, C);
        a.become(C, PeerState.TERMINATED).settle();
        a.advance(T_RR.plus(TICK.multipliedBy(4)));
        assertThat(a.told(D, OutboxMessages.REPLICATE)).as("of the last stream").hasToString("[0..1]");
        a.ack(D, last, OutboxMessages.STATUS_STORED, 1, range(0, 1)).settle();
        assertThat(a.custodyOf(last, 0).owners()).containsExactly(A, D);

        a.turn.forget();
        a.become(B, PeerState.TERMINATED).settle();
        a.advance(T_RR.plus(TICK.multipliedBy(4)));
        assertThat(a.turn.sent(D, OutboxMessages.REPLICATE))
                .as("of an earlier one")
                .isNotEmpty();
    }

    private StreamId store(int lane, NodeId owner) {
        OutboxCommand.Put put = new OutboxCommand.Put("queue " + lane, 1, Slice.utf8("put"), "token");
        a.node.onCommand(new OutboxCommand.PutAll(List.of(put)), a.turn);
        a.node.endOfTurn(a.turn);
        StreamId own = new StreamId(A, a.node.inspect().ledger().boot(), lane);
        a.ack(owner, own, OutboxMessages.STATUS_STORED, 0, range(0, 1));
        a.turn.completeStore();
        return own;
    }
}
