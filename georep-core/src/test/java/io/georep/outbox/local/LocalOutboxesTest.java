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
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.BatchFailedException;
import io.georep.outbox.Delivery;
import io.georep.outbox.Forwarding;
import io.georep.outbox.Hold;
import io.georep.outbox.Outbox;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.protocol.local.Place;
import io.georep.runtime.IdleHandle;
import io.georep.spi.CodecResolver;
import io.georep.spi.PayloadCodec;
import io.georep.spi.PeerSelection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Answers and alarms reach whom they are for, whatever the application does behind them. */
class LocalOutboxesTest {
    private static final StreamId STREAM = new StreamId(NodeId.of("n1"), 1, 0);

    private final LocalOutboxes side = side(new IdleHandle<>("n1"));
    private final Outbox<String> outbox = side.outbox("q", String.class, options -> options.f(0));

    private static LocalOutboxes side(IdleHandle<OutboxCommand> node) {
        return new LocalOutboxes(
                node,
                new OutboxModule(PeerSelection.siteAware(), CodecResolver.builtIn(), Integer.MAX_VALUE),
                new Place(NodeId.of("n1"), null, 0, null, Durability.MEMORY, ProtocolConfig.defaults()));
    }

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
        OutboxCommand.PutAll all = (OutboxCommand.PutAll) side.source().gather();
        return all == null ? List.of() : all.puts();
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

        assertThat(rung).containsExactly(25L);
        assertThat(side.nextDeadlineNanos()).isEqualTo(30);
    }

    /** One entry waits for months, others for moments: the alarm of the one must not be there once for each of the others. */
    @Test
    void whatIsAskedForAgainRingsOnce() {
        List<Long> rung = new ArrayList<>();
        Ringing consumer = new Ringing(rung::add);
        side.time(0); // the sweep at the start
        for (long soon = 10; soon <= 40; soon += 10) {
            side.setAlarm(consumer, 1_000);
            side.setAlarm(consumer, soon);
            side.setAlarm(consumer, soon + 5);
            side.time(soon);
        }
        side.setAlarm(consumer, 1_000);

        side.time(1_000);

        assertThat(rung).containsExactly(10L, 20L, 30L, 40L, 1_000L);
        assertThat(side.nextDeadlineNanos()).as("no alarm is left").isGreaterThan(1_000_000);
    }

    /** What nobody is told of is decided by nobody: a node that starts finds it before any queue is open. */
    @Test
    void ofEachQueueItIsToldWhatIsUndecidedHoweverManyThereAre() {
        int last = 2 * OutboxEvents.UNOPENED_MAX;
        for (int i = 1; i <= last; i++) {
            side.event(new OutboxEvent.UndecidedFound("q" + i, i));
        }
        List<Long> undecided = new ArrayList<>();

        side.outbox("q" + last, String.class, options -> options.f(0)).onUndecided(undecided::add);

        assertThat(undecided).containsExactly((long) last);
    }

    @Test
    void aCallbackThatFailsKeepsNothingFromTheNext() {
        List<Long> undecided = new ArrayList<>();
        List<Long> ended = new ArrayList<>();
        outbox.onUndecided(entries -> {
            throw new Unspeakable();
        });
        outbox.onUndecided(undecided::add);
        outbox.onFinishedElsewhere((stream, entries) -> {
            throw new OutOfMemoryError("of the callback's own");
        });
        outbox.onFinishedElsewhere((stream, entries) -> ended.add(entries));

        side.event(new OutboxEvent.UndecidedFound("q", 3));
        side.event(new OutboxEvent.FinishedElsewhere("q", STREAM, 4));

        assertThat(undecided).containsExactly(3L);
        assertThat(ended).containsExactly(4L);
    }

    /** Who counts what was sent here would count entries of others down, too. */
    @Test
    void onlyOwnEntriesThatNobodyCanReadHaveFinishedElsewhere() {
        List<EntryId> ended = new ArrayList<>();
        PayloadCodec<String> codec = new PayloadCodec<>() {
            @Override
            public byte[] encode(String payload) {
                return payload.getBytes(StandardCharsets.UTF_8);
            }

            @Override
            public String decode(Slice bytes) throws IOException {
                throw new IOException("cannot read this");
            }
        };
        Outbox<String> queue = side.outbox("unreadable", codec, options -> options.f(0));
        queue.onFinishedElsewhere((stream, entries) -> ended.add(new EntryId(stream, entries)));
        queue.forward(delivery -> {}, options -> options.executor(Runnable::run));
        queue.send("own");
        side.event(new OutboxEvent.Stored(STREAM, 1, gathered()));
        StreamId others = new StreamId(NodeId.of("n2"), 1, 0);
        Slice payload = new EntryEnvelope(1, 0, 0, Map.of(), null, Slice.utf8("x")).encode();

        side.event(new OutboxEvent.Deliver(
                "unreadable",
                List.of(
                        new OutboxEvent.Delivered(new EntryId(others, 1), payload, others.origin(), 1),
                        new OutboxEvent.Delivered(new EntryId(STREAM, 1), payload, null, 0))));

        assertThat(ended).containsExactly(new EntryId(STREAM, 1));
    }

    /** What a handler forwarded and the node is not told of would be forwarded again, and its place in the window stay taken. */
    @Test
    void theNodeEndsWhenAHandlersThreadHasNoMemoryToTellOfWhatItDid() {
        List<Throwable> failures = new ArrayList<>();
        OutOfMemoryError error = new OutOfMemoryError("for the test");
        LocalOutboxes starved = side(new IdleHandle<>("n1") {
            @Override
            public boolean command(OutboxCommand command) {
                if (command instanceof OutboxCommand.Forwarded) {
                    throw error;
                }
                return true;
            }

            @Override
            public void fail(Throwable cause) {
                failures.add(cause);
            }
        });
        Outbox<String> queue = starved.outbox("q", String.class, options -> options.f(0));
        List<String> handled = new ArrayList<>();
        queue.forward(delivery -> handled.add(delivery.payload()), options -> options.executor(Runnable::run));
        Slice payload = new EntryEnvelope(1, 0, 0, Map.of(), null, Slice.utf8("x")).encode();

        starved.event(new OutboxEvent.Deliver(
                "q", List.of(new OutboxEvent.Delivered(new EntryId(STREAM, 1), payload, null, 0))));

        assertThat(handled).containsExactly("x");
        assertThat(failures).containsExactly(error);

        Outbox<String> held = starved.outbox("held", String.class, options -> options.f(0));
        held.forwardBatches(
                deliveries -> {
                    for (Delivery<String> delivery : deliveries) {
                        delivery.keep().forwarded(List.of(delivery));
                    }
                },
                options -> options.executor(Runnable::run));
        starved.event(new OutboxEvent.Deliver(
                "held", List.of(new OutboxEvent.Delivered(new EntryId(STREAM, 2), payload, null, 0))));
        assertThat(failures).as("whatever becomes of what a hold throws").containsExactly(error, error);
    }

    /** A thread of the application may keep to itself what it could not tell the node; the entries would wait for ever. */
    @Test
    void theNodeEndsWhenAnApplicationsThreadHasNoMemoryToGiveEntriesBack() {
        List<Throwable> failures = new ArrayList<>();
        OutOfMemoryError error = new OutOfMemoryError("for the test");
        AtomicBoolean starved = new AtomicBoolean();
        LocalOutboxes outboxes = side(new IdleHandle<>("n1") {
            @Override
            public boolean command(OutboxCommand command) {
                if (starved.get()) {
                    throw error;
                }
                return true;
            }

            @Override
            public boolean execute(Runnable task) {
                return command(new OutboxCommand.AllowAdoption(true)) && super.execute(task);
            }

            @Override
            public void fail(Throwable cause) {
                failures.add(cause);
            }
        });
        Slice payload = new EntryEnvelope(1, 0, 0, Map.of(), null, Slice.utf8("x")).encode();
        Outbox<String> held = outboxes.outbox("held", String.class, options -> options.f(0));
        List<Delivery<String>> kept = new ArrayList<>();
        List<Hold> holds = new ArrayList<>();
        held.forward(
                delivery -> {
                    kept.add(delivery);
                    holds.add(delivery.keep());
                },
                options -> options.executor(Runnable::run));
        outboxes.event(new OutboxEvent.Deliver(
                "held", List.of(new OutboxEvent.Delivered(new EntryId(STREAM, 1), payload, null, 0))));
        Outbox<String> waiting = outboxes.outbox("waiting", String.class, options -> options.f(0));
        Forwarding forwarding = waiting.forward(delivery -> {}, options -> options.executor(task -> {}));
        outboxes.event(new OutboxEvent.Deliver(
                "waiting", List.of(new OutboxEvent.Delivered(new EntryId(STREAM, 2), payload, null, 0))));

        starved.set(true);
        assertThatThrownBy(() -> holds.get(0).failed(kept.get(0), new IllegalStateException("operator is down")))
                .isSameAs(error);
        assertThat(failures).containsExactly(error);

        assertThatThrownBy(forwarding::pause).isSameAs(error);
        assertThat(failures).containsExactly(error, error);
    }

    /** Else its place in the window would stay taken, and nobody know why. */
    @Test
    void anEntryWhoseErrorCannotBeReadIsTriedAgain() {
        Outbox<String> queue = side.outbox("later", String.class, options -> options.f(0));
        List<CompletableFuture<Void>> stages = new ArrayList<>();
        queue.forwardBatches(
                batch -> {
                    CompletableFuture<Void> stage = new CompletableFuture<>();
                    stages.add(stage);
                    batch.get(0).endsWith(stage);
                },
                options -> options.executor(Runnable::run));
        Slice payload = new EntryEnvelope(1, 0, 0, Map.of(), null, Slice.utf8("x")).encode();
        side.event(new OutboxEvent.Deliver(
                "later", List.of(new OutboxEvent.Delivered(new EntryId(STREAM, 1), payload, null, 0))));

        stages.get(0).completeExceptionally(new BatchFailedException(new IllegalStateException("for the test")) {
            @Override
            public Map<EntryId, Throwable> failures() {
                throw new IllegalStateException("lost on the way");
            }
        });

        assertThat(queue.statistics().parked()).isEqualTo(1);
        assertThat(queue.statistics().active()).isZero();
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
        public void alarm(long nowNanos) {
            bell.accept(nowNanos);
        }

        @Override
        public boolean stop(Duration atMost) {
            return true;
        }
    }
}
