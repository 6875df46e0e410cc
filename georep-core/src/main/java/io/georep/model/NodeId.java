package io.georep.model;

import java.util.regex.Pattern;

/**
 * Name of a node, unique in the cluster and bound to one data directory.
 *
 * @param value 1 to 64 characters out of letters, digits, {@code . _ -}; starts with a letter or digit
 */
public record NodeId(String value) implements Comparable<NodeId> {
    /** Longest name in characters (all ASCII, so also in bytes). */
    public static final int LENGTH_MAX = 64;

    private static final Pattern VALID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    public NodeId {
        if (!VALID.matcher(value).matches()) {
            throw new ConfigurationException("node id '" + value + "' is not valid: use 1 to " + LENGTH_MAX
                    + " characters out of letters, digits, '.', '_' and '-', starting with a letter or digit");
        }
    }

    /** Short for the constructor. */
    public static NodeId of(String value) {
        return new NodeId(value);
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
