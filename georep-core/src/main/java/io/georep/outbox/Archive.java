package io.georep.outbox;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.StreamId;
import java.util.Comparator;
import java.util.TreeMap;

/**
 * What is kept of streams that were over for longer than tombstones live: which of their entries are finished. A node
 * that returns after years still gets a true answer, and its late copies stay out. Streams end as one range, so this is
 * some tens of bytes each; the number of streams and of ranges is bounded, and what does not fit is forgotten, which can
 * cost a repetition and never an entry.
 */
final class Archive {
    /** Most streams kept; those of the oldest boots go first. */
    static final int STREAMS_MAX = 10_000;

    /** Most ranges kept of one stream. */
    static final int RANGES_MAX = 64;

    private static final Comparator<StreamId> BY_AGE =
            Comparator.comparingLong(StreamId::boot).thenComparing(Comparator.naturalOrder());

    private final TreeMap<StreamId, RangeList> finished = new TreeMap<>(BY_AGE);

    /** A stream is put away. */
    void add(StreamId stream, FinishedSet over) {
        RangeList ranges = over.first(0, RANGES_MAX);
        if (!ranges.isEmpty()) {
            add(stream, ranges);
        }
    }

    private void add(StreamId stream, RangeList ranges) {
        finished.put(stream, ranges);
        if (finished.size() > STREAMS_MAX) {
            finished.pollFirstEntry();
        }
    }

    /** What is known to be over of a stream that was put away. */
    RangeList of(StreamId stream) {
        RangeList ranges = finished.get(stream);
        return ranges == null ? new RangeList() : ranges;
    }

    /** A stream is opened again: what is over moves back to its table. */
    void remove(StreamId stream) {
        finished.remove(stream);
    }

    int size() {
        return finished.size();
    }

    /** {@code varint count, then per stream: stream, ranges}. */
    void write(BinWriter out) {
        out.varint(finished.size());
        finished.forEach((stream, ranges) -> ranges.write(out.stream(stream)));
    }

    void read(BinReader in) {
        for (long count = in.varint(); count > 0; count--) {
            StreamId stream = in.stream();
            add(stream, RangeList.read(in));
        }
    }
}
