package io.georep.outbox.local;

import io.georep.logging.SafeLog;
import io.georep.model.EntryId;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.OutboxOptions;
import io.georep.outbox.QueueStatistics;
import io.georep.outbox.RepetitionCause;
import io.georep.outbox.Replication;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.protocol.local.NodeHandle;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The paper's own interface on a running node: payloads without envelope. */
final class NodeReplication extends LocalQueue implements Replication, QueueConsumer {
    private static final Logger LOG = LoggerFactory.getLogger(NodeReplication.class);
    private static final int WINDOW = 1000;
    private static final long RETRY_MIN_NANOS = 1_000_000_000L;
    private static final long RETRY_MAX_NANOS = 60_000_000_000L;

    private final SendPort port;
    private final NodeOutbox.AllowedF allowedF;
    private volatile @Nullable Consumer<Entry> callback;

    /** Entries the callback failed for, oldest first; each keeps its place in the window. Application thread only. */
    private final ArrayDeque<OutboxEvent.Delivered> untold = new ArrayDeque<>();

    private long alarmNanos = Long.MAX_VALUE;
    private long retryNanos = RETRY_MIN_NANOS;

    NodeReplication(
            String name,
            NodeHandle<OutboxCommand> node,
            QueueAlarms alarms,
            SendPort port,
            NodeOutbox.AllowedF allowedF) {
        super(name, node, alarms);
        this.port = port;
        this.allowedF = allowedF;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public CompletionStage<EntryId> replicate(byte[] payload, int f) {
        if (f < 0 || f > OutboxOptions.F_MAX) {
            throw new IllegalArgumentException("f is " + f + ", allowed are 0 to " + OutboxOptions.F_MAX);
        }
        return port.send(this, allowedF.of(name, f), Slice.of(payload.clone()));
    }

    @Override
    public void forwarded(EntryId... ids) {
        forwarded(List.of(ids));
    }

    @Override
    public void forwarded(Collection<EntryId> ids) {
        if (!ids.isEmpty()) {
            counters.forwarded.add(ids.size());
            node.command(new OutboxCommand.Forwarded(List.copyOf(ids)));
        }
    }

    @Override
    public Replication onAdopted(Consumer<Entry> value) {
        callback = Objects.requireNonNull(value, "callback");
        return this;
    }

    @Override
    public synchronized Replication start() {
        if (callback == null) {
            throw new IllegalStateException(
                    "replication " + name + " has no callback: adopted entries would be lost; call onAdopted first");
        }
        if (consumer() == null) {
            consumer(this);
            node.command(new OutboxCommand.Credit(name, WINDOW));
        }
        return this;
    }

    @Override
    public void delivered(List<OutboxEvent.Delivered> entries) {
        Consumer<Entry> told = callback;
        int places = 0;
        for (OutboxEvent.Delivered entry : entries) {
            if (told == null
                    || isOwnOfThisBoot(entry.id().stream())
                    || tell(told, entry, entry.causeAt(node.nanos(), node.wallMillis()))) {
                places++;
            } else {
                untold.add(entry);
            }
        }
        free(places);
        if (!untold.isEmpty() && alarmNanos == Long.MAX_VALUE) {
            alarmAfter(RETRY_MIN_NANOS);
        }
    }

    /**
     * Entries stay with the application until they are forwarded, so an entry that was handed over frees its place at
     * once.
     */
    private void free(int places) {
        if (places > 0) {
            node.command(new OutboxCommand.Credit(name, places));
        }
    }

    /** The application never gave the entry away, so it is not handed back. */
    private boolean isOwnOfThisBoot(StreamId stream) {
        return stream.equals(ownStream);
    }

    private boolean tell(Consumer<Entry> told, OutboxEvent.Delivered entry, @Nullable RepetitionCause cause) {
        counters.handedOver(cause);
        try {
            told.accept(new Entry(entry.id(), entry.payload().toArray(), entry.adoptedFrom(), cause != null));
            return true;
        } catch (Throwable e) {
            SafeLog.log(LOG, "Queue {}: onAdopted failed for {}; it is told again soon", name, entry.id(), e);
            return false;
        }
    }

    @Override
    public void alarm(long nowNanos) {
        alarmNanos = Long.MAX_VALUE;
        Consumer<Entry> told = callback;
        int places = 0;
        while (told != null && !untold.isEmpty() && tell(told, untold.getFirst(), RepetitionCause.ATTEMPTED)) {
            untold.removeFirst();
            places++;
        }
        free(places);
        if (!untold.isEmpty()) {
            alarmAfter(places > 0 ? RETRY_MIN_NANOS : Math.min(RETRY_MAX_NANOS, 2 * retryNanos));
        }
    }

    private void alarmAfter(long nanos) {
        retryNanos = nanos;
        alarmNanos = node.nanos() + nanos;
        alarms.setAlarm(this, alarmNanos);
    }

    @Override
    public boolean stop(Duration atMost) {
        return true;
    }

    @Override
    QueueStatistics statistics() {
        return counters.snapshot(0, 0);
    }
}
