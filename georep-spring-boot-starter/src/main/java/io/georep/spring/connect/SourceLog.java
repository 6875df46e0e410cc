package io.georep.spring.connect;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;

/**
 * The records of a source that are on their way. They leave in the order in which their source partition gave them,
 * whatever the order in which their copies become durable. Thread-safe.
 */
final class SourceLog {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private final Map<ByteBuffer, Deque<Submitted>> byPartition = new LinkedHashMap<>();
    private final Set<ByteBuffer> doneAtHead = new LinkedHashSet<>();
    private int pending;
    private int onTheirWay;
    private boolean closed;

    /** A record on its way. */
    final class Submitted {
        private final SourceRecord record;
        private final ByteBuffer partition;
        private @Nullable RecordMetadata metadata;
        private boolean done;
        private boolean givenUp;

        private Submitted(SourceRecord record, ByteBuffer partition) {
            this.record = record;
            this.partition = partition;
        }

        /** Returns the record as the source gave it. */
        SourceRecord record() {
            return record;
        }

        /** Returns the bytes of its source partition. */
        ByteBuffer partition() {
            return partition;
        }

        /** Returns what is said about its entry; null if there is none because the record was left out. */
        @Nullable
        RecordMetadata metadata() {
            return metadata;
        }

        /** Called when the record is done; on any thread. */
        void done(@Nullable RecordMetadata about) {
            lock.lock();
            try {
                if (!done) {
                    done = true;
                    metadata = about;
                    onTheirWay -= givenUp ? 0 : 1;
                    Deque<Submitted> queue = byPartition.get(partition);
                    if (queue != null && queue.peekFirst() == this) {
                        doneAtHead.add(partition);
                        changed.signalAll();
                    }
                }
            } finally {
                lock.unlock();
            }
        }

        /**
         * Nothing more is done for this record in this life of the task, and nothing behind it in its partition is
         * committed.
         */
        void giveUp() {
            lock.lock();
            try {
                if (!done && !givenUp) {
                    givenUp = true;
                    onTheirWay--;
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** Adds the next record of its source partition. */
    Submitted submit(SourceRecord record) {
        @SuppressWarnings("unchecked") // the API gives a map of anything, and demands this one
        Map<String, Object> given = (Map<String, Object>) record.sourcePartition();
        ByteBuffer partition = ByteBuffer.wrap(FlatMap.write(given));
        Submitted submitted = new Submitted(record, partition);
        lock.lock();
        try {
            byPartition.computeIfAbsent(partition, key -> new ArrayDeque<>()).addLast(submitted);
            pending++;
            onTheirWay++;
        } finally {
            lock.unlock();
        }
        return submitted;
    }

    /** Takes what may be committed now. Waits for the first one. */
    List<Submitted> takeDone(long waitMillis) throws InterruptedException {
        long left = TimeUnit.MILLISECONDS.toNanos(waitMillis);
        lock.lockInterruptibly();
        try {
            while (doneAtHead.isEmpty() && left > 0) {
                left = changed.awaitNanos(left);
            }
            List<Submitted> taken = new ArrayList<>();
            for (ByteBuffer partition : doneAtHead) {
                Deque<Submitted> queue = byPartition.get(partition);
                while (queue != null && !queue.isEmpty() && queue.getFirst().done) {
                    taken.add(queue.removeFirst());
                }
                if (queue != null && queue.isEmpty()) {
                    byPartition.remove(partition);
                }
            }
            doneAtHead.clear();
            pending -= taken.size();
            if (!taken.isEmpty()) {
                changed.signalAll();
            }
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until fewer than {@code max} records are not committed; false if the time was over first. */
    boolean awaitRoom(int max, long waitMillis) throws InterruptedException {
        long left = TimeUnit.MILLISECONDS.toNanos(waitMillis);
        lock.lockInterruptibly();
        try {
            while (pending >= max && !closed && left > 0) {
                left = changed.awaitNanos(left);
            }
            return pending < max;
        } finally {
            lock.unlock();
        }
    }

    /** Returns how many records are not committed. */
    int pending() {
        lock.lock();
        try {
            return pending;
        } finally {
            lock.unlock();
        }
    }

    /** Returns how many records are neither done nor given up. */
    int onTheirWay() {
        lock.lock();
        try {
            return onTheirWay;
        } finally {
            lock.unlock();
        }
    }

    /** Ends all waiting for room. */
    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
