package io.georep.model;

import org.jspecify.annotations.Nullable;

/**
 * Name of a node. It is unique in the cluster and tied to one data directory.
 *
 * @param value 1 to 64 characters: letters, digits, {@code . _ -}; the first is a letter or digit
 */
public record NodeId(String value) implements Comparable<NodeId> {
    /** The longest name, in characters. Names are ASCII, so this is also the length in bytes. */
    public static final int LENGTH_MAX = 64;

    public NodeId {
        if (!isValid(value)) {
            throw new ConfigurationException("node id '" + value + "' is not valid: use 1 to " + LENGTH_MAX
                    + " characters out of letters, digits, '.', '_' and '-', starting with a letter or digit");
        }
    }

    /** Checked by hand: names are read from every message. */
    private static boolean isValid(String value) {
        int length = value.length();
        boolean valid = length >= 1 && length <= LENGTH_MAX && isLetterOrDigit(value.charAt(0));
        for (int i = 1; valid && i < length; i++) {
            char c = value.charAt(i);
            valid = isLetterOrDigit(c) || c == '.' || c == '_' || c == '-';
        }
        return valid;
    }

    private static boolean isLetterOrDigit(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }

    /** Returns the name as a node id; short for the constructor. */
    public static NodeId of(String value) {
        return new NodeId(value);
    }

    /** By hand, because nothing is asked more often: what a record brings takes several times as long. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof NodeId id && value.equals(id.value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    @Override
    public int compareTo(NodeId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
