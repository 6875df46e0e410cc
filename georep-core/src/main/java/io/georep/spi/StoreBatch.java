package io.georep.spi;

import io.georep.model.Durability;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Changes that become visible and durable together, in the order they were added. Filled by the driver's thread during
 * one turn, then handed to the store and not touched again.
 */
public final class StoreBatch {
    /** Kind of one change. */
    public enum Kind {
        /** Set a key. */
        PUT,
        /** Remove a key that may have been set any number of times. */
        DELETE,
        /** Remove a key that was set exactly once since it last did not exist: cheaper in a log-structured store. */
        DELETE_ONCE,
        /** Remove all keys from {@code key} (inclusive) to {@code value} (exclusive). */
        DELETE_RANGE
    }

    /**
     * One change.
     *
     * @param kind what to do
     * @param key the key, or first key of a range
     * @param value the value of a PUT, the exclusive end key of a DELETE_RANGE, else empty
     */
    public record Op(Kind kind, byte[] key, Slice value) {}

    /** What a change takes on the heap beside its bytes. */
    private static final int OP_OVERHEAD_BYTES = 96;

    private final List<Op> ops = new ArrayList<>();
    private long valueBytes;
    private long heldBytes;
    private byte @Nullable [] lastArray;
    private Durability required = Durability.MEMORY;

    /** First byte of every key that may be changed now; negative for any. */
    private int prefix = -1;

    /** What {@link #requireDurable} asks for now. */
    private Durability level = Durability.FSYNC;

    /**
     * Limits the changes that follow to the keys of one protocol, and what it may ask for to its level.
     *
     * @param channel first byte of those keys
     * @param durability what {@link #requireDurable} asks for from now on
     * @return this batch
     */
    public StoreBatch within(int channel, Durability durability) {
        prefix = channel;
        level = durability;
        return this;
    }

    private void checkOwn(byte[] key) {
        if (prefix >= 0 && (key.length == 0 || (key[0] & 0xff) != prefix)) {
            throw new IllegalArgumentException("the key begins with "
                    + (key.length == 0 ? "nothing" : String.valueOf(key[0] & 0xff))
                    + ", but keys of this protocol begin with " + prefix + ", its channel");
        }
    }

    /** Sets a key; key and value must not be changed afterwards. */
    public void put(byte[] key, Slice value) {
        add(new Op(Kind.PUT, key, value));
        valueBytes += value.length();
        if (value.array() != lastArray) {
            // Values of one frame share its bytes.
            lastArray = value.array();
            heldBytes += lastArray.length;
        }
    }

    private void add(Op op) {
        checkOwn(op.key);
        ops.add(op);
        heldBytes += op.key.length + OP_OVERHEAD_BYTES;
    }

    /** Removes a key. */
    public void delete(byte[] key) {
        add(new Op(Kind.DELETE, key, Slice.EMPTY));
    }

    /** Removes a key that was set exactly once. */
    public void deleteOnce(byte[] key) {
        add(new Op(Kind.DELETE_ONCE, key, Slice.EMPTY));
    }

    /** Removes all keys in [from, to). */
    public void deleteRange(byte[] from, byte[] to) {
        checkOwn(to);
        add(new Op(Kind.DELETE_RANGE, from, Slice.of(to)));
    }

    /**
     * Asks for the configured durability before completion, or for that of the protocol where it is weaker; without it the
     * batch rides along with a later sync. Of several requests the strongest counts.
     */
    public void requireDurable() {
        if (level.isStrongerThan(required)) {
            required = level;
        }
    }

    /** What must be true before completion, as far as the store is configured to give it. */
    public Durability required() {
        return required;
    }

    /** Whether anything must be true before completion but that the changes were made. */
    public boolean isDurableRequired() {
        return required != Durability.MEMORY;
    }

    /** The changes in order. */
    public List<Op> ops() {
        return ops;
    }

    /** Whether there is nothing to do. */
    public boolean isEmpty() {
        return ops.isEmpty();
    }

    /** Sum of the lengths of all values put. */
    public long valueBytes() {
        return valueBytes;
    }

    /** About as much memory as cannot be reclaimed before the batch is written: bytes, keys, and what they are part of. */
    public long heldBytes() {
        return heldBytes;
    }
}
