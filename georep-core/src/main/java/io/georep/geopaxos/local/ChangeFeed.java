package io.georep.geopaxos.local;

import io.georep.concurrent.Registrations;
import io.georep.concurrent.Registrations.Registered;
import io.georep.geopaxos.core.map.MapWatch;
import io.georep.logging.SafeLog;
import io.georep.model.Registration;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes on their way from the driver, which executes them, to the listeners, which the application thread calls. Bounded: if too many wait,
 * what follows is left out, until the listeners were told that.
 */
final class ChangeFeed implements MapWatch {
    private static final Logger LOG = LoggerFactory.getLogger(ChangeFeed.class);

    /** Changes that wait. */
    static final int CHANGES_MAX = 10_000;

    /** Bytes of their keys and values. One more change may come on top. */
    private static final long BYTES_MAX = 16L << 20;

    /** A listener with the codecs of its map. */
    interface Listener {
        void changed(Slice key, @Nullable Slice value);

        void missed();
    }

    private record Change(Slice key, @Nullable Slice value) {
        int bytes() {
            return key.length() + (value == null ? 0 : value.length());
        }
    }

    private record Batch(List<Change> changes, boolean isMissed) {}

    private final String nodeName;

    /** By the prefix of the keys. */
    private final Registrations<Slice, Listener> listeners = new Registrations<>(count -> {});

    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicLong waitingBytes = new AtomicLong();

    /** Whether changes are left out, until the notice of that has been told. */
    private volatile boolean isLost;

    /** Of the driver. */
    private List<Change> fresh = new ArrayList<>();

    /** Whether the notice is to be sent; of the driver. */
    private boolean isNoticeDue;

    ChangeFeed(String nodeName) {
        this.nodeName = nodeName;
    }

    /** Adds a listener for the map whose keys begin like this. */
    Registration add(Slice map, Listener listener) {
        return listeners.add(map, listener);
    }

    /** Returns the listeners of a key of the maps, which begins with the length of the name of its map, and the name. */
    private List<Registered<Listener>> listeners(Slice key) {
        if (listeners.isEmpty()) {
            return List.of();
        }
        int prefix = 1 + (key.array()[key.offset()] & 0xff);
        return prefix > key.length() ? List.of() : listeners.of(new Slice(key.array(), key.offset(), prefix));
    }

    @Override
    public void changed(Slice key, @Nullable Slice value) {
        if (listeners(key).isEmpty() || isLost) {
            return;
        }
        if (waiting.get() >= CHANGES_MAX || waitingBytes.get() >= BYTES_MAX) {
            reloaded();
            return;
        }
        Change change = new Change(copy(key), value == null ? null : copy(value));
        fresh.add(change);
        waiting.incrementAndGet();
        waitingBytes.addAndGet(change.bytes());
    }

    /** Copies it, because what waits must not keep the operation that it came in. */
    private static Slice copy(Slice part) {
        return part.array().length == part.length() ? part : Slice.of(part.toArray());
    }

    @Override
    public void reloaded() {
        if (!isLost && !listeners.isEmpty()) {
            isLost = true;
            isNoticeDue = true;
        }
    }

    /** Returns what is to be told; null for nothing. Driver. */
    @Nullable
    Object take() {
        if (fresh.isEmpty() && !isNoticeDue) {
            return null;
        }
        Batch batch = new Batch(fresh, isNoticeDue);
        fresh = new ArrayList<>();
        isNoticeDue = false;
        return batch;
    }

    /** Tells the listeners what was taken. Application thread. */
    void tell(Object taken) {
        Batch batch = (Batch) taken;
        for (Change change : batch.changes) {
            waiting.decrementAndGet();
            waitingBytes.addAndGet(-change.bytes());
            for (Registered<Listener> each : listeners(change.key)) {
                each.call(listener -> listener.changed(change.key, change.value), this::failed);
            }
        }
        if (batch.isMissed) {
            isLost = false; // first: what is executed from now on may not be seen by what they read
            listeners.all().forEach(map -> map.forEach(each -> each.call(Listener::missed, this::failed)));
        }
    }

    private void failed(Throwable cause) {
        SafeLog.log(LOG, "Node {}: a listener of an ordered map failed", nodeName, cause);
    }

    /** No listener is called any more. */
    void close() {
        listeners.clear();
    }
}
