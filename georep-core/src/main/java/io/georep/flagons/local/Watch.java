package io.georep.flagons.local;

import io.georep.flagons.core.OrderKey;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What one listener was told of its keys. Application thread. */
final class Watch {
    /** Of a prefix. */
    static final int KEYS_MAX = 10_000;

    private static final long READ_NANOS = 30_000_000_000L;

    /** A listener with the codecs of its map. */
    interface Listener {
        void changed(Slice key, @Nullable Slice value, OrderKey version, boolean corrected);

        void missed();

        void listed(boolean all);
    }

    /** A key that is told of. */
    static final class Key {
        final Slice bytes;

        /** The place of what was told last. */
        OrderKey version = OrderKey.FIRST;

        /** What was read last has all changes up to here that the member had heard of. It may be ahead of what this node delivers. */
        OrderKey readTo = OrderKey.FIRST;

        boolean isTold;

        /** Whether it had no value when it was told last. */
        boolean isGone;

        /** Whether it is being read, or waits for that; once it is, whether it must be read again. */
        boolean isRead;

        boolean again;
        boolean corrected;
        long readAt;

        private Key(Slice bytes) {
            this.bytes = bytes;
        }
    }

    final Slice prefix;
    final Listener listener;

    /** Of a prefix: what it is told of now, or was last. */
    @Nullable
    Listing listing;

    /** Whether it was told that all was listed; null if it was told nothing yet. */
    @Nullable
    Boolean listed;

    /** The one that was not read or told of for longest comes first. */
    private final Map<Slice, Key> keys = new LinkedHashMap<>();

    Watch(Slice prefix, Listener listener) {
        this.prefix = prefix;
        this.listener = listener;
    }

    /** Returns a key, which goes behind all others. */
    Key key(Slice bytes, long now) {
        Key key = keys.remove(bytes);
        if (key == null) {
            key = new Key(bytes);
            if (keys.size() >= KEYS_MAX) {
                Iterator<Key> eldest = keys.values().iterator();
                eldest.next();
                eldest.remove();
            }
        }
        key.readAt = now;
        keys.put(bytes, key);
        return key;
    }

    /** Returns the keys of which nothing was heard since then, but for those that have no value as far as was told. */
    List<Key> unheard(long since) {
        List<Key> found = new ArrayList<>();
        for (Key key : keys.values()) {
            if (key.readAt - since >= 0) {
                break; // all others were heard of later
            }
            if (!key.isGone) {
                found.add(key);
            }
        }
        return found;
    }

    /** Returns the key to be read now, of which nothing was heard for long; null if there is none. */
    @Nullable
    Key stale(long now) {
        for (Key eldest : keys.values()) {
            return now - eldest.readAt < READ_NANOS || eldest.isRead ? null : key(eldest.bytes, now);
        }
        return null;
    }
}
