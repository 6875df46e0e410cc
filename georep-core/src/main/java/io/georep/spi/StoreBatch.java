package io.georep.spi;

import io.georep.model.Durability;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Changes that become visible and durable together, in the order in which they were added. The thread of the driver
 * fills it during one turn, gives it to the store, and does not touch it again.
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

    /** Sets a key. Neither key nor value may be changed afterwards. */
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

    /** Removes a key that was set exactly once since it last did not exist. */
    public void deleteOnce(byte[] key) {
        add(new Op(Kind.DELETE_ONCE, key, Slice.EMPTY));
    }

    /** Removes all keys in [from, to). */
    public void deleteRange(byte[] from, byte[] to) {
        checkOwn(to);
        add(new Op(Kind.DELETE_RANGE, from, Slice.of(to)));
    }

    /**
     * Asks that the batch is as durable as the store's settings say, or as the protocol says if that is weaker,
     * before it completes. Otherwise it becomes durable with a later sync. The strongest request counts.
     */
    public void requireDurable() {
        if (level.isStrongerThan(required)) {
            required = level;
        }
    }

    /** Returns how durable the batch must be before it completes, as far as the store's settings go. */
    public Durability required() {
        return required;
    }

    /** Returns whether more is asked for than that the changes are made. */
    public boolean isDurableRequired() {
        return required != Durability.MEMORY;
    }

    /** Returns the changes in order. */
    public List<Op> ops() {
        return ops;
    }

    /** Returns whether there is nothing to do. */
    public boolean isEmpty() {
        return ops.isEmpty();
    }

    /** Returns how many bytes all values have together. */
    public long valueBytes() {
        return valueBytes;
    }

    /**
     * Returns about how many bytes of memory stay in use until the batch is written: values, keys, and the arrays
     * they are parts of.
     */
    public long heldBytes() {
        return heldBytes;
    }
}
