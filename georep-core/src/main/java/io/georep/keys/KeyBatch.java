package io.georep.keys;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Collects changes of one space. {@link KeySpace#write} makes them together, in this order. Not thread-safe. */
public final class KeyBatch {
    /**
     * One change.
     *
     * @param key the key that is set or removed
     * @param value the new value; null removes the key
     */
    public record Change(byte[] key, byte @Nullable [] value) {
        private Change copy() {
            return new Change(key.clone(), value == null ? null : value.clone());
        }
    }

    private final List<Change> changes = new ArrayList<>();
    private int bytes;

    /** Creates a batch without changes. */
    public KeyBatch() {}

    /**
     * Adds a change that sets a key. Copies both arrays, and returns this batch.
     *
     * @throws IllegalArgumentException if the key or the value is too large, or if the batch would be
     */
    public KeyBatch put(byte[] key, byte[] value) {
        Objects.requireNonNull(value, "value");
        if (value.length > KeySpace.VALUE_BYTES_MAX) {
            throw new IllegalArgumentException("the value has " + value.length + " bytes, allowed are "
                    + KeySpace.VALUE_BYTES_MAX + ": keep what is larger elsewhere, and its name here");
        }
        return add(key, value.clone());
    }

    /**
     * Adds a change that removes a key, which need not exist. Copies the array, and returns this batch.
     *
     * @throws IllegalArgumentException if the key is too large, or if the batch would be
     */
    public KeyBatch delete(byte[] key) {
        return add(key, null);
    }

    private KeyBatch add(byte[] key, byte @Nullable [] value) {
        if (key.length == 0 || key.length > KeySpace.KEY_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "the key has " + key.length + " bytes, allowed are 1 to " + KeySpace.KEY_BYTES_MAX);
        }
        int more = key.length + (value == null ? 0 : value.length);
        if (changes.size() >= KeySpace.BATCH_CHANGES_MAX || bytes + more > KeySpace.BATCH_BYTES_MAX) {
            throw new IllegalArgumentException("the batch would have " + (changes.size() + 1) + " changes with "
                    + (bytes + more) + " bytes, allowed are " + KeySpace.BATCH_CHANGES_MAX + " with "
                    + KeySpace.BATCH_BYTES_MAX + ": write it in parts");
        }
        changes.add(new Change(key.clone(), value));
        bytes += more;
        return this;
    }

    /** Returns copies of the changes, in the order in which they were added. */
    public List<Change> changes() {
        return changes.stream().map(Change::copy).toList();
    }

    /** Returns how many bytes all keys and values have together. */
    public int bytes() {
        return bytes;
    }
}
