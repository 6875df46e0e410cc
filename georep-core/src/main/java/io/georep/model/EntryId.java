package io.georep.model;

/**
 * Globally unique id of an entry. It stays the same on every node, so a consumer can use {@link #toString()} as its
 * idempotency key.
 *
 * @param stream the stream to which the entry belongs
 * @param sequence number of the entry within the stream, from 0
 */
public record EntryId(StreamId stream, long sequence) implements Comparable<EntryId> {
    public EntryId {
        if (sequence < 0) {
            throw new IllegalArgumentException("sequence " + sequence);
        }
    }

    /** Returns the node that accepted the entry. */
    public NodeId origin() {
        return stream.origin();
    }

    /**
     * Reads what {@link #toString()} wrote.
     *
     * @throws IllegalArgumentException if the text is not an entry id
     */
    public static EntryId parse(String text) {
        String[] parts = text.split(":", -1);
        if (parts.length != 4) {
            throw new IllegalArgumentException("entry id '" + text + "' is not origin:boot:lane:sequence");
        }
        return new EntryId(
                new StreamId(new NodeId(parts[0]), Long.parseLong(parts[1]), Integer.parseInt(parts[2])),
                Long.parseLong(parts[3]));
    }

    @Override
    public int compareTo(EntryId other) {
        int byStream = stream.compareTo(other.stream);
        return byStream != 0 ? byStream : Long.compare(sequence, other.sequence);
    }

    @Override
    public String toString() {
        return stream + ":" + sequence;
    }
}
