package io.georep.outbox.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.Unspeakable;
import io.georep.model.ClosedException;
import io.georep.model.Durability;
import io.georep.model.EntryId;
import io.georep.model.IndeterminateException;
import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.model.StreamId;
import io.georep.outbox.Outbox;
import io.georep.outbox.core.OutboxCommand;
import io.georep.outbox.core.OutboxEvent;
import io.georep.protocol.local.Place;
import io.georep.protocol.local.TurnSource;
import io.georep.runtime.IdleHandle;
import io.georep.spi.CodecResolver;
import io.georep.spi.PeerSelection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Answers and alarms reach whom they are for, whatever the application does behind them. */
class LocalOutboxesTest {
    private static final StreamId STREAM = new StreamId(NodeId.of("n1"), 1, 0);

    private final LocalOutboxes side = new LocalOutboxes(
            new IdleHandle<>("n1"),
            new OutboxModule(PeerSelection.siteAware(), CodecResolver.builtIn(), Integer.MAX_VALUE),
            new Place(NodeId.of("n1"), null, 0, null, Durability.MEMORY, ProtocolConfig.defaults()));
    private final Outbox<String> outbox = side.outbox("q", String.class, options -> options.f(0));

    private CompletableFuture<EntryId> send() {
        return outbox.send("x").toCompletableFuture();
    }

    /** What follows a send fails. */
    private CompletableFuture<EntryId> sendBadly() {
        CompletableFuture<EntryId> send = send();
        CompletableFuture<?> behind = send.handle((value, error) -> {
            throw new Unspeakable();
        });
        assertThat(behind).isNotDone();
        return send;
    }

    private List<OutboxCommand.Put> gathered() {
        TurnSource<OutboxCommand> source = side.source();
        return ((OutboxCommand.PutAll) source.gather()).puts();
    }

    @Test
    void aStageThatFailsBehindOneSendKeepsNoAnswerFromTheNext() {
        CompletableFuture<EntryId> first = sendBadly();
        CompletableFuture<EntryId> second = send();

        side.event(new OutboxEvent.Stored(STREAM, 7, gathered()));

        assertThat(first).isCompletedWithValue(new EntryId(STREAM, 7));
        assertThat(second).isCompletedWithValue(new EntryId(STREAM, 8));
    }

    @Test
    void atTheEndWhatTheDriverTookIsUncertainAndTheRestWasNeverThere() {
        CompletableFuture<EntryId> taken = sendBadly();
        gathered();
        CompletableFuture<EntryId> unseen = sendBadly();
        CompletableFuture<EntryId> other = send();
        side.source().gather();
        CompletableFuture<EntryId> late = send();
        side.source().close();

        side.ended();

        assertThatThrownBy(taken::join).hasCauseInstanceOf(IndeterminateException.class);
        assertThatThrownBy(unseen::join).hasCauseInstanceOf(IndeterminateException.class);
        assertThatThrownBy(other::join).hasCauseInstanceOf(IndeterminateException.class);
        assertThatThrownBy(late::join).hasCauseInstanceOf(ClosedException.class);
    }

    @Test
    void aQueueThatFailsAtItsAlarmKeepsNoAlarmFromTheOthers() {
        List<Long> rung = new ArrayList<>();
        side.time(0); // the sweep at the start
        side.setAlarm(
                new Ringing(at -> {
                    throw new Unspeakable();
                }),
                10);
        side.setAlarm(new Ringing(rung::add), 30);
        side.setAlarm(new Ringing(rung::add), 20);
        Ringing cancelled = new Ringing(rung::add);
        side.setAlarm(cancelled, 15);
        side.cancelAlarms(cancelled);

        side.time(25);

        assertThat(rung).containsExactly(20L);
        assertThat(side.nextDeadlineNanos()).isEqualTo(30);
    }

    @Test
    void nothingIsWaitedForOnceEverySendIsAnswered() {
        CompletableFuture<EntryId> send = send();
        CompletableFuture<Void> answered = side.answered();
        side.time(1);
        assertThat(answered).isNotDone();

        side.event(new OutboxEvent.Stored(STREAM, 0, gathered()));
        side.time(2);

        assertThat(send).isDone();
        assertThat(answered).isDone();
    }

    @Test
    void aClosedSideRefusesSends() {
        side.close();

        assertThatThrownBy(() -> send().join()).hasCauseInstanceOf(ClosedException.class);
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
        public boolean stop(Duration atMost) {
            return true;
        }
    }
}
