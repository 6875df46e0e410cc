package io.georep.outbox.local;

import io.georep.model.EntryId;
import io.georep.outbox.core.messages.OutboxCommand;
import java.util.ArrayList;
import java.util.List;

/** The ends of entries that one thread gathers for one command. */
final class ForwardReport {
    private static final long REPORT_AFTER_NANOS = 500_000;

    private final LocalQueue queue;
    private final Finished finished;
    private final int capacity;
    private List<EntryId> ids;
    private long since;
    private int expired;
    private long bytes;

    /** Told what has left the handler's hands. */
    @FunctionalInterface
    interface Finished {
        void finished(int count, long bytes);
    }

    /**
     * An empty report.
     *
     * @param capacity how many entries to expect
     */
    ForwardReport(LocalQueue queue, int capacity, Finished finished) {
        this.queue = queue;
        this.finished = finished;
        this.capacity = capacity;
        this.ids = new ArrayList<>(capacity);
        this.since = queue.node.nanos();
    }

    void forwarded(EntryInHand inHand) {
        ids.add(inHand.id);
        bytes += inHand.bytes;
    }

    void expired(EntryInHand inHand) {
        ids.add(inHand.id);
        bytes += inHand.bytes;
        expired++;
    }

    /** Sends what has waited for long, because after a crash, what is not reported would be forwarded again. */
    void sendIfOld(long now) {
        if (!ids.isEmpty() && now - since > REPORT_AFTER_NANOS) {
            send();
        }
    }

    void send() {
        since = queue.node.nanos();
        if (ids.isEmpty()) {
            return;
        }
        List<EntryId> done = ids;
        long doneBytes = bytes;
        queue.counters.forwarded.add(done.size() - expired);
        queue.counters.expired.add(expired);
        ids = new ArrayList<>(capacity);
        expired = 0;
        bytes = 0;
        try {
            queue.node.command(new OutboxCommand.Forwarded(done));
        } finally {
            finished.finished(done.size(), doneBytes);
        }
    }
}
