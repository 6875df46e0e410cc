package io.georep.flagons.core;

import io.georep.codec.Fnv;
import io.georep.codec.SplitMix;
import io.georep.model.Slice;
import org.jspecify.annotations.Nullable;

/**
 * What an event does to one key.
 *
 * @param value what is put; null if nothing is
 * @param proof who wants it; null if nobody has signed it
 * @param position of the key; all nodes compute it alike, and it is never sent
 */
public record FleetOperation(
        RequestId request,
        Kind kind,
        Slice key,
        @Nullable Slice value,
        @Nullable Proof proof,
        long position) {
    /** The longest key, in bytes: one of an application with the name of its map. */
    public static final int KEY_BYTES_MAX = 1 + 64 + 256;

    /** The longest value, in bytes. */
    public static final int VALUE_BYTES_MAX = 8 * 1024;

    /** What is done. */
    public enum Kind {
        PUT,
        PUT_IF_ABSENT,
        REMOVE,
        GET,
        /** Asks a group which keys it has that begin alike; its key is a {@link Page#question}. */
        LIST
    }

    /**
     * Creates an operation.
     *
     * @throws IllegalArgumentException if the key or the value is too long, or there is a value where none belongs
     */
    public FleetOperation(RequestId request, Kind kind, Slice key, @Nullable Slice value) {
        this(request, kind, key, value, null, kind == Kind.LIST ? Page.from(key) : positionOf(key));
    }

    /** Checks the bounds. */
    public FleetOperation {
        if (key.length() > keyBytesMax(kind)) {
            throw new IllegalArgumentException("a key has at most " + keyBytesMax(kind) + " bytes");
        }
        if (value != null && value.length() > VALUE_BYTES_MAX) {
            throw new IllegalArgumentException("a value has at most " + VALUE_BYTES_MAX + " bytes");
        }
        if ((value != null) != (kind == Kind.PUT || kind == Kind.PUT_IF_ABSENT)) {
            throw new IllegalArgumentException(kind + (value == null ? " without" : " with") + " a value");
        }
    }

    static int keyBytesMax(Kind kind) {
        return kind == Kind.LIST ? Page.QUESTION_BYTES_MAX : KEY_BYTES_MAX;
    }

    FleetOperation with(Proof other) {
        return new FleetOperation(request, kind, key, value, other, position);
    }

    /** Returns the position of a key on the circle of positions. */
    static long positionOf(Slice key) {
        return SplitMix.mixed(Fnv.hash(key));
    }

    /** Returns whether it changes the key, or may. */
    public boolean changes() {
        return kind != Kind.GET && kind != Kind.LIST;
    }

    int bytes() {
        return (proof == null ? 32 : 32 + 16 + Proof.BYTES) + key.length() + (value == null ? 0 : value.length());
    }
}
