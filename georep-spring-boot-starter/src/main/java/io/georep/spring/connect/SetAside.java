package io.georep.spring.connect;

import io.georep.logging.SafeLog;
import io.georep.model.GeoRepException;
import io.georep.model.RejectedException;
import io.georep.outbox.SendOptions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.DataException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entries that one task of a sink has set aside. Each becomes a dead letter of its outbox, or is copied to another
 * outbox. A copy is sent until it is stored; until then the entry is held here, and no flush ends it. If a copy can
 * never be stored, the entry becomes a dead letter of its own outbox. What is held stays when the task is restarted.
 * Thread-safe.
 */
final class SetAside {
    private static final Logger LOG = LoggerFactory.getLogger(SetAside.class);
    private static final long RETRY_FIRST_MILLIS = 50;
    private static final long RETRY_MAX_MILLIS = 5_000;

    private final ConnectorSettings settings;
    private final int task;
    private final int partition;
    private final BadRecords badRecords;
    private final Function<String, RawOutboxes.Raw<?>> outboxes;
    private final SinkIntake intake;
    private final Map<SinkEntry, Copy> copies = new ConcurrentHashMap<>();
    private volatile boolean closed;
    private final AtomicBoolean added = new AtomicBoolean();
    private volatile @Nullable String problem;

    SetAside(
            ConnectorSettings settings,
            int task,
            int partition,
            Function<String, RawOutboxes.Raw<?>> outboxes,
            SinkIntake intake) {
        this.settings = settings;
        this.task = task;
        this.partition = partition;
        this.badRecords = new BadRecords(settings, task);
        this.outboxes = outboxes;
        this.intake = intake;
    }

    /**
     * Sets an entry aside, if the settings tolerate it. An entry that is set aside already stays so.
     *
     * @return ends when the entry needs no more forwarding; fails when the task has to end before that, which keeps the entry
     * @throws ConnectException if the settings do not tolerate it
     */
    CompletableFuture<Void> add(SinkEntry entry, RecordFailedException failure) {
        Copy open = copies.get(entry);
        if (open != null) {
            return open.told;
        }
        badRecords.tolerate(
                "entry " + entry.delivery().id() + " of outbox " + entry.topic(),
                settings.logsMessages() ? entry.payload().length + " bytes of payload" : null,
                failure);
        String other = settings.deadLetterOutbox();
        if (other == null) {
            if (entry.fail(new RecordDeadLetterException(failure, null))) {
                intake.ended(entry.topic(), 1, entry.size());
                added.set(true);
            }
            return CompletableFuture.completedFuture(null);
        }
        Copy copy = new Copy(entry, failure, other);
        Copy before = copies.putIfAbsent(entry, copy);
        if (before != null) {
            return before.told;
        }
        if (!entry.setAside()) {
            copy.end(); // the entry has ended
        } else if (closed) {
            entry.giveBack(); // too late for close to do so
            copy.end();
        } else {
            added.set(true);
            copy.send();
        }
        return copy.told;
    }

    /** Returns whether entries were set aside since the last time. To look for them costs as much as the window is large. */
    boolean takeAdded() {
        return added.getAndSet(false);
    }

    /** Returns what an operator should know; null for nothing. */
    @Nullable
    String problem() {
        return problem;
    }

    /** Waits for this time at most until each copy was stored or refused once. */
    void awaitFirst(long millis) throws InterruptedException {
        CompletableFuture<?>[] first =
                copies.values().stream().map(copy -> copy.answered).toArray(CompletableFuture<?>[]::new);
        if (first.length > 0) {
            try {
                CompletableFuture.allOf(first).get(millis, TimeUnit.MILLISECONDS);
            } catch (TimeoutException | ExecutionException e) {
                LOG.debug("Task {}-{}: copies of bad entries are on their way", settings.name(), task, e);
            }
        }
    }

    /**
     * Ends the wait of the task for copies, because this life of the task must end. The copies are sent nevertheless.
     */
    void release() {
        List.copyOf(copies.values())
                .forEach(copy -> copy.told.completeExceptionally(
                        new ConnectException("the task is to end before the copy of its record is stored")));
    }

    /** Sends nothing more, and gives back what has no copy. */
    void close() {
        closed = true;
        release();
        List.copyOf(copies.values()).forEach(copy -> {
            copy.entry.giveBack();
            copy.end();
        });
    }

    private synchronized void noProblemIfNoneWaits() {
        if (problem != null && copies.values().stream().allMatch(copy -> copy.refusals.get() == 0)) {
            say(null);
        }
    }

    private synchronized void say(@Nullable String text) {
        boolean first = (problem == null) != (text == null);
        problem = text;
        if (first && text != null) {
            LOG.warn("Task {}-{}: {}", settings.name(), task, text);
        } else if (first) {
            LOG.info("Task {}-{}: copies of bad entries wait no more", settings.name(), task);
        }
    }

    /** The copy of one entry. One send of it is on its way, or waits. */
    private final class Copy {
        private final SinkEntry entry;
        private final RecordFailedException failure;
        private final String outbox;
        private final CompletableFuture<Void> told = new CompletableFuture<>();
        private final CompletableFuture<Void> answered = new CompletableFuture<>();
        private volatile ErrorContext context =
                settings.deadLetterHeaders() ? ErrorContext.WITH_STACK_TRACE : ErrorContext.NONE;
        private final AtomicInteger refusals = new AtomicInteger();

        Copy(SinkEntry entry, RecordFailedException failure, String outbox) {
            this.entry = entry;
            this.failure = failure;
            this.outbox = outbox;
        }

        void send() {
            if (closed) {
                return;
            }
            try {
                Map<String, String> headers = context.headers(settings.name(), task, partition, entry, failure);
                outboxes.apply(outbox)
                        .send(entry.payload(), SendOptions.defaults().headers(headers))
                        .whenComplete((id, error) -> {
                            if (error == null) {
                                stored();
                            } else {
                                refused(
                                        error instanceof CompletionException && error.getCause() != null
                                                ? error.getCause()
                                                : error);
                            }
                        });
            } catch (Throwable e) {
                refused(e);
            }
        }

        private void stored() {
            if (entry.copied()) {
                intake.ended(entry.topic(), 1, entry.size());
            }
            end();
        }

        private void refused(Throwable error) {
            boolean tooLarge = error instanceof RejectedException rejected
                    && rejected.reason() == RejectedException.Reason.PAYLOAD_TOO_LARGE;
            if (tooLarge && context != ErrorContext.NONE) {
                context = context.less();
                send();
            } else if (tooLarge || error instanceof DataException) {
                if (entry.fail(new RecordDeadLetterException(
                        failure, "outbox " + outbox + " never takes the copy: " + SafeLog.text(error)))) {
                    intake.ended(entry.topic(), 1, entry.size());
                }
                end();
            } else {
                answered.complete(null);
                if (!closed) {
                    retry(error);
                }
            }
        }

        private void retry(Throwable error) {
            int before = refusals.getAndIncrement();
            if (problem == null && !(error instanceof GeoRepException)) {
                SafeLog.log(LOG, "Task {}-{}: the copy of a bad entry is not taken", settings.name(), task, error);
            }
            say("outbox " + outbox + " does not take the copies of bad entries, which are kept and sent again: "
                    + (error instanceof GeoRepException ? error.getMessage() : ErrorKind.of(error)));
            long pause = Math.min(RETRY_MAX_MILLIS, RETRY_FIRST_MILLIS << Math.min(before, 10));
            Plugins.later(pause, this::send);
        }

        private void end() {
            copies.remove(entry, this);
            told.complete(null);
            answered.complete(null);
            noProblemIfNoneWaits();
        }
    }
}
