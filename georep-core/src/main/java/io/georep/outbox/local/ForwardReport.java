package io.georep.outbox.local;

import io.georep.model.EntryId;
import io.georep.outbox.core.OutboxCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/** Ends of entries that one thread gathers for one command. */
final class ForwardReport {
    private static final long REPORT_AFTER_NANOS = 500_000;

    private final LocalQueue queue;
    private final IntConsumer finished;
    private final int capacity;
    private List<EntryId> ids;
    private long since;
    private int expired;

    /**
     * An empty report.
     *
     * @param capacity how many entries to expect
     * @param finished told how many entries have left the handler's hands
     */
    ForwardReport(LocalQueue queue, int capacity, IntConsumer finished) {
        this.queue = queue;
        this.finished = finished;
        this.capacity = capacity;
        this.ids = new ArrayList<>(capacity);
        this.since = queue.node.nanos();
    }

    void forwarded(EntryInHand attempt) {
        ids.add(attempt.id);
    }

    void expired(EntryInHand attempt) {
        ids.add(attempt.id);
        expired++;
    }

    /** Sends what has been waiting for long: what is not reported would be forwarded again after a crash. */
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
        queue.counters.forwarded.add(done.size() - expired);
        queue.counters.expired.add(expired);
        ids = new ArrayList<>(capacity);
        expired = 0;
        try {
            queue.node.command(new OutboxCommand.Forwarded(done));
        } finally {
            finished.accept(done.size());
        }
    }
}
