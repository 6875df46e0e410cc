package io.georep.outbox.core;

import static io.georep.outbox.core.OutboxFixture.A;
import static io.georep.outbox.core.OutboxFixture.B;
import static io.georep.outbox.core.OutboxFixture.C;
import static io.georep.outbox.core.OutboxFixture.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.model.EntryState;
import io.georep.model.StreamId;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.stream.Custody;
import io.georep.protocol.BootKind;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Entries with the application that are another node's by now: it is asked for them (b7). */
class RecallsTest {
    private static final Duration TICK = Duration.ofMillis(1100);

    private final OutboxFixture a = OutboxFixture.hardened();

    private static Custody adoptedBy(long epoch) {
        return new Custody(EntryState.COPY, epoch, List.of(A, B, C), List.of(B, C, A), null);
    }

    private OutboxFixture withThreeInHand() {
        a.stored(3, B, C).credit(3).settle().turn.forget();
        return a;
    }

    private List<EntryId> ids(long... sequences) {
        StreamId own = a.own();
        return LongStream.of(sequences)
                .mapToObj(sequence -> new EntryId(own, sequence))
                .toList();
    }

    private boolean isAskedFor(long sequence) {
        return a.turn.events(OutboxEvent.Recall.class).stream()
                .anyMatch(recall -> recall.queue().equals(OutboxFixture.QUEUE)
                        && recall.entries().contains(ids(sequence).get(0)));
    }

    private void giveBack(List<EntryId> untouched, List<EntryId> tried) {
        a.node.onCommand(new OutboxCommand.Return(untouched, tried), a.turn);
        a.settle();
    }

    /** The first time their payload may just be read again, or a handler may have them whose attempt fails. */
    @Test
    void aRemovedNodeAsksForWhatOthersTakeOverUntilItHasIt() {
        a.stored(2, B).stored(1).credit(3).settle().turn.forget();
        a.peers.selfRemoved = true;

        for (int i = 0; i < 3; i++) {
            a.turn.forget();
            a.advance(Duration.ofMillis(1100));
            assertThat(a.turn.events(OutboxEvent.Recall.class)).hasSize(1).allSatisfy(recall -> {
                assertThat(recall.entries().contains(new EntryId(a.own(), 1))).isTrue();
                assertThat(recall.entries().contains(new EntryId(a.own(), 2)))
                        .as("nobody else has it")
                        .isFalse();
            });
        }

        a.peers.selfRemoved = false;
        a.turn.forget();
        a.advance(Duration.ofMillis(1100));
        assertThat(a.turn.events(OutboxEvent.Recall.class)).isEmpty();
    }

    @Test
    void whatAnotherNodeClaimsIsAskedForAndCededOnceItIsBack() {
        withThreeInHand()
                .claim(B, OutboxMessages.UPDATE, a.own(), adoptedBy(1), range(0, 2))
                .settle();
        assertThat(isAskedFor(0)).isTrue();
        assertThat(isAskedFor(2)).isFalse();
        assertThat(a.custodyOf(a.own(), 0).state()).isEqualTo(EntryState.HELD);

        a.turn.forget();
        a.credit(3);
        giveBack(ids(0), ids(2));

        assertThat(a.custodyOf(a.own(), 0)).isEqualTo(adoptedBy(1));
        assertThat(a.turn.events(OutboxEvent.Ceded.class)).containsExactly(new OutboxEvent.Ceded(B, 1));
        assertThat(a.delivered()).as("nobody claimed it").containsExactly(2L);
        assertThat(a.custodyOf(a.own(), 1).state()).as("a handler has it").isEqualTo(EntryState.HELD);
    }

    @Test
    void whatThisNodeIsReleasedOfIsAskedForAndDroppedOnceItIsBack() {
        Custody without = new Custody(EntryState.COPY, 5, List.of(B, C), List.of(B, C), null);
        withThreeInHand()
                .claim(B, OutboxMessages.RELEASE, a.own(), without, range(0, 2))
                .settle();
        assertThat(isAskedFor(0)).isTrue();
        assertThat(isAskedFor(2)).isFalse();
        assertThat(a.told(B, OutboxMessages.RELEASED).isEmpty()).isTrue();

        giveBack(ids(0), List.of());

        assertThat(a.custodyOf(a.own(), 0).state()).isEqualTo(EntryState.REMOVED);
        assertThat(a.custodyOf(a.own(), 1).state()).as("a handler has it").isEqualTo(EntryState.HELD);
    }

    @Test
    void ofSeveralClaimsTheBestOneCounts() {
        withThreeInHand()
                .claim(B, OutboxMessages.UPDATE, a.own(), adoptedBy(2), range(0, 1))
                .settle();
        Custody lower = new Custody(EntryState.COPY, 1, List.of(A, B, C), List.of(C, A, B), null);
        a.claim(C, OutboxMessages.UPDATE, a.own(), lower, range(0, 2)).settle();

        giveBack(ids(0, 1), List.of());

        assertThat(a.custodyOf(a.own(), 0)).isEqualTo(adoptedBy(2));
        assertThat(a.custodyOf(a.own(), 1)).isEqualTo(lower);
    }

    @Test
    void aClaimIsForgottenWithTheEntry() {
        withThreeInHand()
                .claim(B, OutboxMessages.UPDATE, a.own(), adoptedBy(1), range(0, 1))
                .settle();

        a.forwarded(a.own(), 0).settle().advance(TICK.multipliedBy(2));

        boolean[] left = new boolean[1];
        a.node.context().recalls.resolve(a.table(a.own()), range(0, 3), (ranges, claim, from) -> left[0] = true);
        assertThat(left[0]).isFalse();
    }

    @Test
    void whatFinishedElsewhereIsAskedForAndOverOnceItIsBack() {
        withThreeInHand().about(B, OutboxMessages.DELETE, a.own(), range(0, 2)).settle();
        assertThat(isAskedFor(1)).isTrue();
        assertThat(isAskedFor(2)).isFalse();

        a.turn.forget();
        a.credit(3);
        giveBack(ids(0), List.of());

        assertThat(a.node.inspect().isFinished(ids(0).get(0))).isTrue();
        assertThat(a.turn.events(OutboxEvent.FinishedElsewhere.class))
                .containsExactly(new OutboxEvent.FinishedElsewhere(OutboxFixture.QUEUE, a.own(), 1));
        assertThat(a.delivered()).isEmpty();
    }

    @Test
    void aDrainedNodeAsksForWhatTheApplicationHasAndHandsItOver() {
        a.stored(3, B).credit(3).settle().reachable(B).settle();
        a.answer(B, a.own(), OutboxMessages.ANSWER_COPY, OutboxFixture.custody(0, A, B), range(0, 3));
        a.peers.drained = true;
        a.advance(TICK.multipliedBy(2));
        assertThat(isAskedFor(0) && isAskedFor(1) && isAskedFor(2)).isTrue();

        a.credit(3);
        giveBack(ids(0), ids(1));

        assertThat(a.custodyOf(a.own(), 0).order().get(0)).isEqualTo(B);
        assertThat(a.custodyOf(a.own(), 1).state()).isEqualTo(EntryState.COPY);
        assertThat(a.custodyOf(a.own(), 2).state()).as("a handler has it").isEqualTo(EntryState.HELD);
    }

    @Test
    void whatNoHandlerHadComesAgainAsNew() {
        withThreeInHand().credit(2);

        giveBack(ids(0), ids(1));

        assertThat(a.deliveries())
                .hasSize(2)
                .allSatisfy(entry ->
                        assertThat(entry.possiblySent()).isEqualTo(entry.id().sequence() == 1));
    }

    @Test
    void whatNoHandlerHadIsNoDoubtAfterARestart() {
        withThreeInHand();
        giveBack(ids(0), List.of());

        a.reboot(BootKind.PROMPT);

        assertThat(a.table(a.own()).uncertain.all()).hasToString("[1..3]");
    }

    /** While the store syncs, reads wait: those of one round trip are bounded by memory, not one. */
    @Test
    void someGroupsAreReadAtATime() {
        long[] all = LongStream.range(0, 20).toArray();
        for (long ignored : all) {
            a.stored(1, B);
        }
        a.credit(all.length).settle().turn.forget();

        a.node.onCommand(new OutboxCommand.Reread(ids(all)), a.turn);
        a.step().turn.completeStore();
        assertThat(a.delivered()).hasSize(8);

        a.complete();
        assertThat(a.delivered())
                .containsExactly(LongStream.range(0, 20).boxed().toArray(Long[]::new));
    }

    @Test
    void oneReadServesAllEntriesOfAGroupAndWhatComesSharesNothingWithTheRestOfIt() {
        withThreeInHand();

        a.node.onCommand(new OutboxCommand.Reread(ids(2, 0)), a.turn);
        a.settle();

        List<OutboxEvent.Deliver> events = a.turn.events(OutboxEvent.Deliver.class);
        assertThat(events).hasSize(1);
        assertThat(a.delivered()).containsExactly(0L, 2L);
        assertThat(a.deliveries())
                .allSatisfy(entry -> assertThat(entry.payload().array())
                        .hasSize(entry.payload().length()));
    }
}
