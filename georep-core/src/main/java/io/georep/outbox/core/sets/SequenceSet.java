package io.georep.outbox.core.sets;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A set of sequence numbers of one stream: one bit each in the chunks that are partly filled, and two numbers for a run
 * of full chunks. So memory and time depend on the holes, not on the length of what lies between them: a stream of 10⁹
 * finished entries of which three wait costs three chunks.
 */
public final class SequenceSet implements SequenceView {
    private static final int CHUNK_SHIFT = 12;
    private static final int CHUNK_BITS = 1 << CHUNK_SHIFT;
    private static final int CHUNK_WORDS = CHUNK_BITS / 64;

    /** Chunk number to its bits; no chunk here is empty or full. */
    private final TreeMap<Long, long[]> chunks = new TreeMap<>();

    private final FullChunks full = new FullChunks();

    /** The last chunk that became empty: a set that is filled and emptied all the time needs no new ones. */
    private long @Nullable [] spare;

    private long size;

    @Override
    public boolean isEmpty() {
        return size == 0;
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public boolean contains(long member) {
        long[] words = chunks.get(member >> CHUNK_SHIFT);
        return words == null ? full.endOf(member >> CHUNK_SHIFT) >= 0 : (words[word(member)] >>> member & 1) != 0;
    }

    /** Adds all of [from, to). */
    public void add(long from, long to) {
        for (long at = from; at < to; ) {
            long chunk = at >> CHUNK_SHIFT;
            long whole = to >> CHUNK_SHIFT;
            if (at == chunk << CHUNK_SHIFT && whole > chunk) {
                fill(chunk, whole);
                at = whole << CHUNK_SHIFT;
            } else {
                long end = Math.min(to, (chunk + 1) << CHUNK_SHIFT);
                if (full.endOf(chunk) < 0) {
                    addWithin(chunk, at, end);
                }
                at = end;
            }
        }
    }

    private void addWithin(long chunk, long from, long to) {
        long[] words = chunks.computeIfAbsent(chunk, none -> emptyChunk());
        boolean wordFull = false;
        for (long at = from, next; at < to; at = next) {
            next = Math.min(to, (at | 63) + 1);
            long mask = mask(at, next);
            size += Long.bitCount(mask & ~words[word(at)]);
            words[word(at)] |= mask;
            wordFull |= words[word(at)] == -1L;
        }
        if (wordFull && consistsOf(words, -1L)) {
            chunks.remove(chunk);
            Arrays.fill(words, 0);
            spare = words;
            full.add(chunk, chunk + 1);
        }
    }

    /** Adds whole chunks. */
    private void fill(long from, long to) {
        remove(from << CHUNK_SHIFT, to << CHUNK_SHIFT);
        size += (to - from) << CHUNK_SHIFT;
        full.add(from, to);
    }

    private long[] emptyChunk() {
        long[] words = spare;
        spare = null;
        return words == null ? new long[CHUNK_WORDS] : words;
    }

    public void add(long member) {
        add(member, member + 1);
    }

    public void addAll(RangeList ranges) {
        for (int i = 0; i < ranges.count(); i++) {
            add(ranges.from(i), ranges.to(i));
        }
    }

    public void addAll(SequenceView other) {
        other.forEachRun(0, Long.MAX_VALUE, this::add);
    }

    /** Removes all of [from, to). */
    public void remove(long from, long to) {
        if (from >= to) {
            return;
        }
        if (!full.isEmpty()) {
            removeFull(from, to);
        }
        Map.Entry<Long, long[]> entry = chunks.ceilingEntry(from >> CHUNK_SHIFT);
        while (entry != null && entry.getKey() << CHUNK_SHIFT < to) {
            long chunk = entry.getKey();
            long[] words = entry.getValue();
            long end = Math.min(to, (chunk + 1) << CHUNK_SHIFT);
            long next;
            for (long at = Math.max(from, chunk << CHUNK_SHIFT); at < end; at = next) {
                next = Math.min(end, (at | 63) + 1);
                long mask = mask(at, next);
                size -= Long.bitCount(mask & words[word(at)]);
                words[word(at)] &= ~mask;
            }
            if (consistsOf(words, 0)) {
                chunks.remove(chunk);
                spare = words;
            }
            entry = chunks.higherEntry(chunk);
        }
    }

    /** Takes the full chunks within [from, to) out whole; those at its ends get bits again. */
    private void removeFull(long from, long to) {
        long firstWhole = (from + CHUNK_BITS - 1) >> CHUNK_SHIFT;
        long lastWhole = to >> CHUNK_SHIFT;
        if (firstWhole > lastWhole || (from & (CHUNK_BITS - 1)) != 0) {
            unpack(from >> CHUNK_SHIFT);
        }
        if (firstWhole <= lastWhole && (to & (CHUNK_BITS - 1)) != 0) {
            unpack(lastWhole);
        }
        if (firstWhole < lastWhole) {
            size -= full.remove(firstWhole, lastWhole) << CHUNK_SHIFT;
        }
    }

    /** Gives a full chunk bits of its own. */
    private void unpack(long chunk) {
        if (full.endOf(chunk) >= 0) {
            full.remove(chunk, chunk + 1);
            long[] words = emptyChunk();
            Arrays.fill(words, -1L);
            chunks.put(chunk, words);
        }
    }

    public void removeAll(RangeList ranges) {
        for (int i = 0; i < ranges.count(); i++) {
            remove(ranges.from(i), ranges.to(i));
        }
    }

    /** Removes these, and returns whether all of them were here. */
    public boolean removeEach(RangeList ranges) {
        long before = size();
        removeAll(ranges);
        return size() == before - ranges.total();
    }

    @Override
    public long next(long from) {
        if (full.isEmpty()) {
            return nextInChunks(from);
        }
        long chunk = full.next(from >> CHUNK_SHIFT);
        long inFull = chunk < 0 ? -1 : Math.max(from, chunk << CHUNK_SHIFT);
        long inChunks = nextInChunks(from);
        return inFull < 0 || (inChunks >= 0 && inChunks < inFull) ? inChunks : inFull;
    }

    private long nextInChunks(long from) {
        Map.Entry<Long, long[]> entry = chunks.ceilingEntry(from >> CHUNK_SHIFT);
        while (entry != null) {
            long base = entry.getKey() << CHUNK_SHIFT;
            long found = nextBit(entry.getValue(), (int) Math.max(0, from - base));
            if (found >= 0) {
                return base + found;
            }
            entry = chunks.higherEntry(entry.getKey());
        }
        return -1;
    }

    @Override
    public long nextAbsent(long from) {
        long at = from;
        while (true) {
            long chunk = at >> CHUNK_SHIFT;
            long[] words = chunks.get(chunk);
            if (words == null) {
                long end = full.endOf(chunk);
                if (end < 0) {
                    return at;
                }
                at = end << CHUNK_SHIFT;
                continue;
            }
            int bit = (int) (at & (CHUNK_BITS - 1));
            for (int word = bit >> 6; word < CHUNK_WORDS; word++) {
                long absent = ~words[word] & (word == bit >> 6 ? -1L << bit : -1L);
                if (absent != 0) {
                    return (chunk << CHUNK_SHIFT) + word * 64L + Long.numberOfTrailingZeros(absent);
                }
            }
            at = (chunk + 1) << CHUNK_SHIFT;
        }
    }

    @Override
    public long previous(long from) {
        if (full.isEmpty()) {
            return previousInChunks(from);
        }
        long chunk = full.previous(from >> CHUNK_SHIFT);
        long inFull = chunk < 0 ? -1 : Math.min(from, (chunk << CHUNK_SHIFT) + CHUNK_BITS - 1);
        return Math.max(inFull, previousInChunks(from));
    }

    private long previousInChunks(long from) {
        Map.Entry<Long, long[]> entry = chunks.floorEntry(from >> CHUNK_SHIFT);
        while (entry != null) {
            long base = entry.getKey() << CHUNK_SHIFT;
            int bit = (int) Math.min(CHUNK_BITS - 1L, from - base);
            for (int word = bit >> 6; word >= 0; word--) {
                long present = entry.getValue()[word] & (word == bit >> 6 ? -1L >>> (63 - (bit & 63)) : -1L);
                if (present != 0) {
                    return base + word * 64L + 63 - Long.numberOfLeadingZeros(present);
                }
            }
            entry = chunks.lowerEntry(entry.getKey());
        }
        return -1;
    }

    @Override
    public int pieces() {
        return chunks.size() + full.runs();
    }

    public void clear() {
        chunks.clear();
        full.clear();
        size = 0;
    }

    private static int word(long member) {
        return (int) (member >> 6 & (CHUNK_WORDS - 1));
    }

    /** Bits of [from, to), which lie within one word. */
    private static long mask(long from, long to) {
        return (-1L << from) & (-1L >>> -to);
    }

    private static boolean consistsOf(long[] words, long value) {
        for (long word : words) {
            if (word != value) {
                return false;
            }
        }
        return true;
    }

    private static int nextBit(long[] words, int from) {
        for (int word = from >> 6; word < CHUNK_WORDS; word++) {
            long present = words[word] & (word == from >> 6 ? -1L << from : -1L);
            if (present != 0) {
                return word * 64 + Long.numberOfTrailingZeros(present);
            }
        }
        return -1;
    }

    @Override
    public String toString() {
        return all().toString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SequenceSet set && size == set.size && Arrays.equals(boundsOf(this), boundsOf(set));
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(boundsOf(this));
    }

    private static long[] boundsOf(SequenceSet set) {
        RangeList ranges = set.all();
        long[] bounds = new long[2 * ranges.count()];
        for (int i = 0; i < ranges.count(); i++) {
            bounds[2 * i] = ranges.from(i);
            bounds[2 * i + 1] = ranges.to(i);
        }
        return bounds;
    }
}
