package io.georep;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.OutboxCommand;
import io.georep.outbox.OutboxEvent;
import io.georep.protocol.membership.MembershipEvent;
import io.georep.runtime.NodeDriver;
import io.georep.runtime.PendingSend;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Callbacks of the application that fail, whatever with: all others are told what they wait for. */
class EventRouterTest {
    private static final StreamId STREAM = new StreamId(NodeId.of("n1"), 1, 0);

    private final EventRouter router = new EventRouter("n1", new ChangeLog("n1", new RecordingLogger()));

    @Test
    void aStageThatFailsBehindOneSendKeepsNoAnswerFromTheNext() {
        PendingSend first = send();
        PendingSend second = send();
        failBehind(first);

        router.events(List.of(new OutboxEvent.Stored(STREAM, 7, List.of(put(first), put(second)))));

        assertThat(first).isCompletedWithValue(new EntryId(STREAM, 7));
        assertThat(second).isCompletedWithValue(new EntryId(STREAM, 8));
    }

    @Test
    void aStageThatFailsKeepsNobodyFromLearningThatTheNodeEnded() {
        PendingSend first = send();
        PendingSend second = send();
        failBehind(first);

        router.events(List.of(new NodeDriver.Ended(null, List.of(first), List.of(second))));

        assertThat(second).isCompletedExceptionally();
        assertThat(router.ended).isDone();
        assertThat(router.left).isDone();
    }

    @Test
    void aCallbackThatFailsKeepsNoEventFromTheOthers() {
        List<PeerChange> told = new ArrayList<>();
        router.onPeerChange.add(change -> {
            throw new Unspeakable();
        });
        router.onPeerChange.add(told::add);
        PendingSend send = send();

        router.events(List.of(
                new MembershipEvent.StateChanged(NodeId.of("n2"), "eu", PeerState.ACTIVE, PeerState.TERMINATED),
                new OutboxEvent.Stored(STREAM, 0, List.of(put(send)))));

        assertThat(told).hasSize(1);
        assertThat(send).isDone();
    }

    @Test
    void aQueueThatFailsAtItsAlarmKeepsNoAlarmFromTheOthers() {
        List<Long> rung = new ArrayList<>();
        router.alarms.set(
                new Ringing(at -> {
                    throw new Unspeakable();
                }),
                10);
        router.alarms.set(new Ringing(rung::add), 30);
        router.alarms.set(new Ringing(rung::add), 20);
        Ringing cancelled = new Ringing(rung::add);
        router.alarms.set(cancelled, 15);
        router.alarms.cancel(cancelled);

        router.time(25);

        assertThat(rung).containsExactly(20L);
        assertThat(router.nextDeadlineNanos()).isEqualTo(30);
    }

    private static PendingSend send() {
        return new PendingSend("q", 0, Slice.EMPTY);
    }

    private static OutboxCommand.Put put(PendingSend send) {
        return new OutboxCommand.Put("q", 0, Slice.EMPTY, send);
    }

    private static void failBehind(CompletableFuture<?> stage) {
        CompletableFuture<?> behind = stage.handle((value, error) -> {
            throw new Unspeakable();
        });
        assertThat(behind).isNotDone();
    }

    /** A consumer that waits for a time only. */
    private record Ringing(java.util.function.LongConsumer bell) implements QueueConsumer {
        @Override
        public void delivered(List<OutboxEvent.Delivered> entries) {}

        @Override
        public void alarm(long atNanos, long nowNanos) {
            bell.accept(atNanos);
        }

        @Override
        public boolean stop(java.time.Duration atMost) {
            return true;
        }
    }
}
