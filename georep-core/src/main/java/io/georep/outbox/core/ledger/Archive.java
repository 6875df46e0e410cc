package io.georep.outbox.core.ledger;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.Bound;
import io.georep.model.NodeId;
import io.georep.model.StreamId;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.stream.StreamTable;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What is kept of streams in which nothing is left to do: which of their entries are finished. That takes a few ranges
 * for each stream. A table would take kilobytes, and every heartbeat would look at it.
 *
 * <p>While tombstones live, all such streams are kept, and origins tell returning peers of theirs. Later their number is
 * bounded: a node that returns after years still gets a true answer, and its late copies stay out. What does not fit is
 * forgotten, which can cost a repetition and never an entry.
 */
public final class Archive {
    /** Most old streams kept; those of the oldest boots go first. */
    static final int STREAMS_MAX = 10_000;

    /** Most ranges kept of one stream. */
    public static final int RANGES_MAX = 64;

    /**
     * A stream that ended lately.
     *
     * @param touchedMillis age of the store when something changed in it last
     */
    public record Recent(StreamId stream, String queue, RangeList finished, long touchedMillis) {}

    /** Streams of this boot never grow old: their next numbers are known from what is finished. */
    private long presentBoot;

    /** Smaller in tests. */
    public int streamsMax = STREAMS_MAX;

    private final TreeMap<StreamId, Recent> recent = new TreeMap<>();
    private final TreeSet<Recent> byAge =
            new TreeSet<>(Comparator.comparingLong(Recent::touchedMillis).thenComparing(Recent::stream));

    private final TreeMap<StreamId, RangeList> old =
            new TreeMap<>(Comparator.comparingLong(StreamId::boot).thenComparing(Comparator.naturalOrder()));

    /** Begins a boot: streams of earlier boots grow old from now on. */
    void booted(long boot) {
        presentBoot = boot;
        byAge.clear();
        recent.values().forEach(this::letAge);
    }

    private void letAge(Recent stream) {
        if (stream.stream.boot() != presentBoot) {
            byAge.add(stream);
        }
    }

    /** Puts a stream away. */
    public void add(StreamTable table) {
        RangeList ranges = table.finished.first(0, RANGES_MAX);
        if (!ranges.isEmpty()) {
            add(new Recent(table.id, table.queue, ranges, table.touchedMillis));
        }
    }

    private void add(Recent stream) {
        remove(stream.stream);
        recent.put(stream.stream, stream);
        letAge(stream);
    }

    private void addOld(StreamId stream, RangeList ranges) {
        old.put(stream, ranges);
        while (old.size() > streamsMax) {
            old.pollFirstEntry();
        }
    }

    /** Returns whether in any of them nothing has changed since this age of the store. */
    boolean hasOlder(long touchedBeforeMillis) {
        return !byAge.isEmpty() && byAge.first().touchedMillis < touchedBeforeMillis;
    }

    /** Makes those old in which nothing has changed since this age of the store. */
    void retire(long touchedBeforeMillis) {
        while (hasOlder(touchedBeforeMillis)) {
            Recent first = byAge.first();
            remove(first.stream);
            addOld(first.stream, first.finished);
        }
    }

    /** Returns what is known to be finished of a stream that was put away. */
    public RangeList of(StreamId stream) {
        Recent kept = recent.get(stream);
        RangeList ranges = kept == null ? old.get(stream) : kept.finished;
        return ranges == null ? new RangeList() : ranges;
    }

    /** Returns the streams of a node in which something has changed since this age of the store. */
    public List<Recent> recentOf(NodeId origin, long sinceMillis) {
        StreamId first = new StreamId(origin, 1, 0);
        StreamId last = new StreamId(origin, Long.MAX_VALUE, StreamId.LANE_MAX);
        return recent.subMap(first, true, last, true).values().stream()
                .filter(kept -> kept.touchedMillis >= sinceMillis)
                .toList();
    }

    /** Takes a stream out that is opened again: its table has what is over. */
    void remove(StreamId stream) {
        Recent kept = recent.remove(stream);
        if (kept != null) {
            byAge.remove(kept);
        }
        old.remove(stream);
    }

    /** Returns how many streams are kept. */
    public int size() {
        return recent.size() + old.size();
    }

    /** {@code i64 boot}, then twice {@code varint count, then per stream}: stream, text queue, varint age, ranges; and stream, ranges. */
    void write(BinWriter out) {
        out.i64(presentBoot).varint(recent.size());
        for (Recent kept : recent.values()) {
            kept.finished.write(out.stream(kept.stream).text(kept.queue).varint(kept.touchedMillis));
        }
        out.varint(old.size());
        old.forEach((stream, ranges) -> ranges.write(out.stream(stream)));
    }

    void read(BinReader in) {
        presentBoot = in.i64();
        String queue = "";
        for (int count = in.count(4, "streams"); count > 0; count--) {
            StreamId stream = in.stream();
            String name = in.text();
            queue = name.equals(queue) ? queue : name; // one string for the streams of many boots
            long touchedMillis = Bound.MILLIS.read(in);
            add(new Recent(stream, queue, RangeList.read(in), touchedMillis));
        }
        for (int count = in.count(4, "streams"); count > 0; count--) {
            StreamId stream = in.stream();
            addOld(stream, RangeList.read(in));
        }
    }
}
