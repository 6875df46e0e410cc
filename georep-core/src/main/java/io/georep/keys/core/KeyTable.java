package io.georep.keys.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.Bound;
import io.georep.model.BrokenInvariantException;
import io.georep.model.NodeId;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The replicated records of a node, in memory and in its store. The clock is higher than every epoch that this node has seen.
 *
 * <p>A key that was deleted keeps a mark: a record without a value. Like any record it loses to later ones only. A mark
 * is dropped when its time is over. Nodes tell each other what is left of that time, so they drop a mark at about the
 * same moment, and dropping a mark has no other effect: no node ever drops a value because another node has dropped
 * something. Dropped marks leave the clock behind, so that a key that was deleted is never written under an earlier
 * version.
 */
final class KeyTable {
    /** What this node did with a record that another node offered. */
    enum Taken {
        /** The record is the latest now. */
        NEW,
        /** This node had it already, or it deletes what is not here, and its time is over. */
        KNOWN,
        /** This node has a later one. */
        OLDER
    }

    /** More epochs than a boot can use before the first of them is durable. */
    private static final long UNSTORED_MAX = 1L << 20;

    /** How many marks are dropped in one turn at most. */
    private static final int DROPS_MAX = 1000;

    private final TreeMap<String, TreeMap<byte[], StoredKey>> spaces = new TreeMap<>();
    private final StoredKey[] leaves = new StoredKey[HashTree.LEAVES];
    private final TreeSet<StoredKey> marks = new TreeSet<>(Comparator.<StoredKey>comparingLong(mark -> mark.endsAt)
            .thenComparingLong(mark -> mark.keyHash)
            .thenComparing(mark -> mark.space)
            .thenComparing(mark -> mark.key, Arrays::compareUnsigned));
    private final HashTree tree = new HashTree();
    private final long markMillis;
    private NodeId self = NodeId.of("none");
    private long boot;
    private long clock;
    private long storedClock;

    /** What the next boot will find at least. */
    private long durableClock;

    private long records;
    private long bytes;

    /**
     * Creates a table without records.
     *
     * @param deletionsKept how long marks of deletions are kept
     */
    KeyTable(Duration deletionsKept) {
        markMillis = deletionsKept.toMillis();
    }

    /**
     * Reads everything; this boot has the number given. The time for which the node was down is that of its wall clock. The boot before
     * may have passed on what it did not make durable; what is written now is above that.
     */
    void boot(EntryStore store, NodeId node, long bootNumber, Turn turn) {
        self = node;
        boot = bootNumber;
        store.scanNow(KeyLayout.first('R'), KeyLayout.behind('R'), (stored, content) -> {
            KeyLayout.Place place = KeyLayout.place(stored);
            BinReader in = new BinReader(content);
            KeyVersion version = KeyLayout.version(in);
            StoredKey read = add(place.space(), place.key(), version);
            byte[] value = KeyLayout.value(in);
            set(read, version, value, value == null ? Bound.MILLIS.read(in) - turn.wallMillis() : 0, turn);
            clock = Math.max(clock, version.epoch());
            return true;
        });
        store.scanNow(KeyLayout.clock(), KeyLayout.behind('T'), (stored, content) -> {
            storedClock = new BinReader(content).i64();
            clock = Math.max(clock, storedClock);
            return true;
        });
        durableClock = clock;
        boolean isFirst = bootNumber >>> Integer.SIZE <= 1;
        clock += isFirst ? 0 : Math.min(UNSTORED_MAX, KeyLayout.EPOCH.max() - clock);
    }

    HashTree tree() {
        return tree;
    }

    long clock() {
        return clock;
    }

    /** Returns an epoch that is higher than everything seen so far. */
    long tick() {
        clock = KeyLayout.EPOCH.raise(clock);
        return clock;
    }

    /** Returns how many records there are, deleted ones included. */
    long records() {
        return records;
    }

    long bytes() {
        return bytes;
    }

    /** Returns how many of the records are marks of deletions. */
    int marks() {
        return marks.size();
    }

    /** Returns the records of a space; null if it has none. */
    @Nullable
    NavigableMap<byte[], StoredKey> space(String name) {
        return spaces.get(name);
    }

    @Nullable
    StoredKey find(String space, byte[] key) {
        TreeMap<byte[], StoredKey> content = spaces.get(space);
        return content == null ? null : content.get(key);
    }

    /** Returns whether this is a record of the table. */
    boolean has(StoredKey record) {
        return find(record.space, record.key) == record;
    }

    /** Returns the records of a leaf. */
    List<StoredKey> leaf(int leaf) {
        List<StoredKey> found = new ArrayList<>();
        for (StoredKey record = leaves[leaf]; record != null; record = record.next) {
            found.add(record);
        }
        return found;
    }

    /** Returns whether this node wrote this version since it was started. */
    boolean isOwn(KeyVersion version) {
        return version.boot() == boot && version.node().equals(self);
    }

    /**
     * Returns a deletion of a key that is not in the table. It stays outside. Its version is earlier than any other, and its
     * time is over, so a node that has no such key keeps nothing for it either.
     */
    StoredKey absent(String space, byte[] key) {
        return new StoredKey(space, key, KeyHash.ofKey(space, key), new KeyVersion(0, self, boot));
    }

    /** Makes a write of this node, with an epoch from {@link #tick}. */
    StoredKey write(String space, byte[] key, byte @Nullable [] value, long epoch, Turn turn) {
        KeyVersion version = new KeyVersion(epoch, self, boot);
        StoredKey record = find(space, key);
        if (record == null) {
            record = add(space, key, version);
        }
        change(record, version, value, markMillis, turn);
        return record;
    }

    /** Takes a record of another node if it is the latest. */
    Taken take(KeyRecord offered, Turn turn) {
        Taken judged = judge(offered);
        clock = Math.max(clock, offered.version().epoch());
        if (judged == Taken.NEW) {
            StoredKey record = find(offered.space(), offered.key());
            StoredKey taken = record == null ? add(offered.space(), offered.key(), offered.version()) : record;
            change(taken, offered.version(), offered.value(), offered.leftMillis(), turn);
        }
        return judged;
    }

    /** Returns what this node would do with a record. */
    Taken judge(KeyRecord offered) {
        StoredKey record = find(offered.space(), offered.key());
        if (record == null) {
            return offered.value() == null && offered.leftMillis() == 0 ? Taken.KNOWN : Taken.NEW;
        }
        if (offered.version().equals(record.version)) {
            return Taken.KNOWN;
        }
        return offered.version().isAfter(record.version) ? Taken.NEW : Taken.OLDER;
    }

    private void change(StoredKey record, KeyVersion version, byte @Nullable [] value, long leftMillis, Turn turn) {
        set(record, version, value, leftMillis, turn);
        long endsAtMillis = turn.wallMillis() + record.leftMillis(turn.now());
        turn.store()
                .put(
                        KeyLayout.replicated(record.space, record.key),
                        KeyLayout.content(version, value, Math.max(0, Math.min(endsAtMillis, Bound.MILLIS.max()))));
        turn.store().requireDurable();
    }

    /** Adds a record with this version and no value to memory. */
    private StoredKey add(String space, byte[] key, KeyVersion version) {
        StoredKey record = new StoredKey(space, key, KeyHash.ofKey(space, key), version);
        spaces.computeIfAbsent(space, none -> new TreeMap<>(Arrays::compareUnsigned))
                .put(key, record);
        int leaf = record.leaf();
        record.next = leaves[leaf];
        leaves[leaf] = record;
        tree.toggle(leaf, record.hash());
        require(marks.add(record), "a new record has no mark yet");
        records++;
        bytes += record.bytes();
        return record;
    }

    private void set(StoredKey record, KeyVersion version, byte @Nullable [] value, long leftMillis, Turn turn) {
        require(!record.isDeleted() || marks.remove(record), "the mark of a deletion is among those that end");
        bytes -= record.bytes();
        tree.toggle(record.leaf(), record.hash());
        record.version = version;
        record.value = value;
        tree.toggle(record.leaf(), record.hash());
        bytes += record.bytes();
        if (record.isDeleted()) {
            long left = Math.max(0, Math.min(leftMillis, markMillis));
            record.endsAt = turn.now() + left * StoredKey.NANOS_PER_MILLI;
            require(marks.add(record), "a deletion has one mark");
        }
    }

    /** Returns when the time of the first mark is over, on the monotonic clock. */
    long nextDropNanos() {
        return marks.isEmpty() ? Long.MAX_VALUE : marks.first().endsAt;
    }

    /** Drops marks whose time is over, some at a time. */
    void dropMarks(Turn turn) {
        for (int i = 0; i < DROPS_MAX && nextDropNanos() <= turn.now(); i++) {
            StoredKey mark = marks.first();
            if (mark.version.epoch() > storedClock) {
                storeClock(turn);
            }
            remove(mark, turn);
        }
    }

    private void storeClock(Turn turn) {
        storedClock = clock;
        turn.store().put(KeyLayout.clock(), new BinWriter(Long.BYTES).i64(clock).toSlice());
    }

    /**
     * Returns whether the next boot might write at or below the clock, because nodes were heard that are far ahead, or
     * this is a later boot. Then the clock is stored, and no write may leave before that is durable.
     */
    boolean isAheadOfStore(Turn turn) {
        if (clock - durableClock <= UNSTORED_MAX / 2) {
            return false;
        }
        storeClock(turn);
        long stored = clock;
        turn.whenDurable(later -> durableClock = Math.max(durableClock, stored));
        return true;
    }

    private void remove(StoredKey mark, Turn turn) {
        require(marks.remove(mark), "only marks are dropped");
        TreeMap<byte[], StoredKey> content = spaces.get(mark.space);
        require(content != null && content.remove(mark.key) == mark, "a mark is in its space");
        if (content != null && content.isEmpty()) {
            spaces.remove(mark.space);
        }
        int leaf = mark.leaf();
        StoredKey before = leaves[leaf];
        if (before == mark) {
            leaves[leaf] = mark.next;
        }
        for (; before != null && before != mark; before = before.next) {
            if (before.next == mark) {
                before.next = mark.next;
            }
        }
        tree.toggle(leaf, mark.hash());
        records--;
        bytes -= mark.bytes();
        turn.store().delete(KeyLayout.replicated(mark.space, mark.key));
    }

    /** Takes what another node says about its clock. */
    void heard(long otherClock) {
        clock = Math.max(clock, otherClock);
    }

    /** Requires what always holds for the counters of a table. */
    void check() {
        require(records >= marks.size() && bytes >= records, "every record has a key, and every mark is a record");
        require(records > 0 || (bytes == 0 && tree.sum(0, 0) == 0), "nothing is counted of a table without records");
        require(clock >= storedClock, "the clock never goes back");
    }

    private void require(boolean holds, String promise) {
        BrokenInvariantException.require(holds, promise, this);
    }

    /** Returns what the table counts. */
    @Override
    public String toString() {
        return "key table with " + records + " records, " + marks.size() + " of them marks, " + bytes + " bytes, clock "
                + clock + ", stored " + storedClock;
    }
}
