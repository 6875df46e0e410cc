package io.georep.spring.connect;

import io.georep.outbox.Delivery;
import io.georep.outbox.Hold;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * An entry in the hands of a sink. It stays there until the sink has flushed it, so that it can be handed to the sink again. The
 * first end counts.
 */
final class SinkEntry {
    private static final AtomicIntegerFieldUpdater<SinkEntry> STATE =
            AtomicIntegerFieldUpdater.newUpdater(SinkEntry.class, "state");

    private static final int HELD = 0;
    private static final int ASIDE = 1;
    private static final int ENDED = 2;

    private final Delivery<?> delivery;
    private final byte[] payload;
    private final Hold hold;
    private long offset = -1;

    /** One of the three states below. */
    private volatile int state;

    SinkEntry(Delivery<?> delivery, byte[] payload, Hold hold) {
        this.delivery = delivery;
        this.payload = payload;
        this.hold = hold;
    }

    Delivery<?> delivery() {
        return delivery;
    }

    /** Returns the bytes of the payload; not to be changed. */
    byte[] payload() {
        return payload;
    }

    /** Returns its size in bytes, as the outbox counts. */
    int size() {
        return delivery.size();
    }

    /** Returns the name of the outbox, which is the topic before any transformation. */
    String topic() {
        return delivery.queue();
    }

    /** Returns its offset in the partition of the task that took it; -1 before that. */
    long offset() {
        return offset;
    }

    void offset(long value) {
        offset = value;
    }

    /** Returns whether the task has no more to do with it: it has ended, or was set aside. */
    boolean ended() {
        return state != HELD;
    }

    private boolean ends(int from) {
        return STATE.compareAndSet(this, from, ENDED);
    }

    /**
     * Keeps a flush from ending the entry until it is {@link #copied}, failed or given back. Returns false if it has
     * ended.
     */
    boolean setAside() {
        return STATE.compareAndSet(this, HELD, ASIDE);
    }

    /** Ends an entry that was set aside and has a copy elsewhere. Returns false if it had ended before. */
    boolean copied() {
        if (!ends(ASIDE)) {
            return false;
        }
        hold.forwarded(List.of(delivery));
        return true;
    }

    /** Fails the entry, and leaves the rest to the retry policy of its outbox. Returns false if it had ended before. */
    boolean fail(Throwable error) {
        if (!ends(HELD) && !ends(ASIDE)) {
            return false;
        }
        hold.failed(delivery, error);
        return true;
    }

    /** Gives the entry back, because the sink ends without having forwarded it. */
    void giveBack() {
        fail(new CancellationException("the sink has stopped"));
    }

    /**
     * All of these, of one outbox, are forwarded. There may be some of an earlier forwarding among them: each ends with its own hold.
     *
     * @return those of them that had not ended before, and are not set aside
     */
    static List<SinkEntry> forwarded(List<SinkEntry> entries) {
        List<SinkEntry> now = new ArrayList<>(entries.size());
        List<Delivery<?>> together = new ArrayList<>(entries.size());
        for (SinkEntry entry : entries) {
            if (entry.ends(HELD)) {
                if (!now.isEmpty() && now.get(now.size() - 1).hold != entry.hold) {
                    now.get(now.size() - 1).hold.forwarded(together);
                    together.clear();
                }
                now.add(entry);
                together.add(entry.delivery);
            }
        }
        if (!now.isEmpty()) {
            now.get(now.size() - 1).hold.forwarded(together);
        }
        return now;
    }
}
