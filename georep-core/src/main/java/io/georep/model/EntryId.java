package io.georep.model;

/**
 * Globally unique id of an entry (the paper's data tuple id). It never changes, whoever holds the entry, so a consumer
 * may use {@link #toString()} as its idempotency key.
 *
 * @param stream series the entry belongs to
 * @param sequence number within the stream, from 0
 */
public record EntryId(StreamId stream, long sequence) implements Comparable<EntryId> {
    public EntryId {
        if (sequence < 0) {
            throw new IllegalArgumentException("sequence " + sequence);
        }
    }

    /** The node that accepted the entry: {@code owners[0]}. */
    public NodeId origin() {
        return stream.origin();
    }

    /** Reads what {@link #toString()} wrote. */
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
