package io.georep.keys.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.Bound;
import io.georep.model.NodeId;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The replicated records of a node, in memory and in its store, and the numbers that order writes and deletions.
 *
 * <p>The clock is higher than every epoch that this node has seen. {@code forgotten} is the number up to which some node has
 * forgotten deletions. A node that has not confirmed that number (see {@link Deletions}) may have records that were deleted
 * long ago.
 */
final class KeyTable {
    /** What this node did with a record that another node offered. */
    enum Taken {
        /** The record is the latest now. */
        NEW,
        /** This node had it already. */
        KNOWN,
        /** This node has a later one. */
        OLDER,
        /** It may have been deleted, and the deletion forgotten. */
        DOUBTFUL
    }

    private final TreeMap<String, TreeMap<byte[], StoredKey>> spaces = new TreeMap<>();
    private final StoredKey[] leaves = new StoredKey[HashTree.LEAVES];
    private final LinkedHashSet<StoredKey> deletions = new LinkedHashSet<>();
    private final HashTree tree = new HashTree();
    private NodeId self = NodeId.of("none");
    private long boot;
    private long clock;
    private long forgotten;
    private long confirmed;
    private long records;
    private long bytes;
    private long old;

    /** Reads everything; this boot has the number given. */
    void boot(EntryStore store, NodeId node, long bootNumber) {
        self = node;
        boot = bootNumber;
        store.scanNow(KeyLayout.first('R'), KeyLayout.behind('R'), (stored, content) -> {
            KeyLayout.Place place = KeyLayout.place(stored);
            BinReader in = new BinReader(content);
            KeyVersion version = KeyLayout.version(in);
            StoredKey read = add(place.space(), place.key(), version);
            set(read, version, KeyLayout.value(in));
            read.isOld = true;
            old++;
            clock = Math.max(clock, version.epoch());
            return true;
        });
        store.scanNow(KeyLayout.terms(), KeyLayout.behind('T'), (stored, content) -> {
            BinReader in = new BinReader(content);
            forgotten = in.i64();
            confirmed = in.i64();
            clock = Math.max(clock, Math.max(forgotten, confirmed));
            return true;
        });
    }

    HashTree tree() {
        return tree;
    }

    long clock() {
        return clock;
    }

    /** Returns an epoch that is higher than everything seen so far. */
    long tick() {
        clock = Bound.EPOCH.raise(clock);
        return clock;
    }

    long forgotten() {
        return forgotten;
    }

    /** Returns how many records there are, deleted ones included. */
    long records() {
        return records;
    }

    long bytes() {
        return bytes;
    }

    /** Returns the deleted records, beginning with the one that has waited longest. */
    Collection<StoredKey> deletions() {
        return deletions;
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

    /** Returns the record with this hash; null if this node has another version of it, or none. */
    @Nullable
    StoredKey find(int leaf, long hash) {
        for (StoredKey record = leaves[leaf]; record != null; record = record.next) {
            if (record.hash() == hash) {
                return record;
            }
        }
        return null;
    }

    /** Returns the records of a leaf. */
    List<StoredKey> leaf(int leaf) {
        List<StoredKey> found = new ArrayList<>();
        for (StoredKey record = leaves[leaf]; record != null; record = record.next) {
            found.add(record);
        }
        return found;
    }

    /** Whether this node wrote this version, since it was started. */
    boolean isOwn(KeyVersion version) {
        return version.boot() == boot && version.node().equals(self);
    }

    /** Makes a write of this node, with an epoch from {@link #tick}. */
    StoredKey write(String space, byte[] key, byte @Nullable [] value, long epoch, Turn turn) {
        KeyVersion version = new KeyVersion(epoch, self, boot);
        StoredKey record = find(space, key);
        if (record == null) {
            record = add(space, key, version);
        }
        change(record, version, value, turn);
        return record;
    }

    /**
     * Takes a record of another node if it is the latest.
     *
     * @param senderForgotten the number up to which the sender knows deletions to be forgotten; if it is lower than that of this
     *     node, the sender may still have what was deleted
     */
    Taken take(KeyRecord offered, long senderForgotten, Turn turn) {
        Taken judged = judge(offered, senderForgotten);
        clock = Math.max(clock, offered.version().epoch());
        StoredKey record = find(offered.space(), offered.key());
        if (judged == Taken.NEW) {
            StoredKey taken = record == null ? add(offered.space(), offered.key(), offered.version()) : record;
            change(taken, offered.version(), offered.value(), turn);
        } else if (judged == Taken.KNOWN && record != null) {
            fresh(record);
        }
        return judged;
    }

    /** Returns what this node would do with a record. */
    Taken judge(KeyRecord offered, long senderForgotten) {
        StoredKey record = find(offered.space(), offered.key());
        if (record == null) {
            boolean isDoubtful = offered.version().epoch() <= forgotten && senderForgotten < forgotten;
            return isDoubtful ? Taken.DOUBTFUL : Taken.NEW;
        }
        if (offered.version().equals(record.version)) {
            return Taken.KNOWN;
        }
        return offered.version().isAfter(record.version) ? Taken.NEW : Taken.OLDER;
    }

    private void change(StoredKey record, KeyVersion version, byte @Nullable [] value, Turn turn) {
        fresh(record);
        set(record, version, value);
        turn.store().put(KeyLayout.replicated(record.space, record.key), KeyLayout.content(version, value));
        turn.store().requireDurable();
    }

    private void fresh(StoredKey record) {
        if (record.isOld) {
            record.isOld = false;
            old--;
        }
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
        deletions.add(record);
        records++;
        bytes += record.bytes();
        return record;
    }

    private void set(StoredKey record, KeyVersion version, byte @Nullable [] value) {
        bytes -= record.bytes();
        tree.toggle(record.leaf(), record.hash());
        record.version = version;
        record.value = value;
        tree.toggle(record.leaf(), record.hash());
        bytes += record.bytes();
        deletions.remove(record);
        if (record.isDeleted()) {
            deletions.add(record);
        }
    }

    /** Forgets a record, in memory and in the store. */
    void remove(StoredKey record, Turn turn) {
        fresh(record);
        record.isGone = true;
        TreeMap<byte[], StoredKey> content = spaces.get(record.space);
        if (content != null && content.remove(record.key) != null && content.isEmpty()) {
            spaces.remove(record.space);
        }
        int leaf = record.leaf();
        StoredKey before = leaves[leaf];
        if (before == record) {
            leaves[leaf] = record.next;
        }
        for (; before != null && before != record; before = before.next) {
            if (before.next == record) {
                before.next = record.next;
            }
        }
        tree.toggle(leaf, record.hash());
        deletions.remove(record);
        records--;
        bytes -= record.bytes();
        turn.store().delete(KeyLayout.replicated(record.space, record.key));
    }

    /** Puts a deletion behind all others that wait to be forgotten. */
    void postpone(StoredKey deleted) {
        if (deletions.remove(deleted)) {
            deletions.add(deleted);
        }
    }

    /** Notes that this node confirmed deletions under this number. */
    void confirm(long number, Turn turn) {
        confirmed = Math.max(confirmed, number);
        clock = Math.max(clock, number);
        storeTerms(turn);
    }

    /** Notes that deletions which every node confirmed under this number are forgotten. */
    void forgot(long number, Turn turn) {
        if (number > forgotten) {
            forgotten = number;
            clock = Math.max(clock, number);
            storeTerms(turn);
        }
    }

    private void storeTerms(Turn turn) {
        turn.store()
                .put(
                        KeyLayout.terms(),
                        new BinWriter().i64(forgotten).i64(confirmed).toSlice());
        turn.store().requireDurable();
    }

    /**
     * Takes what another node says about its clock and about forgotten deletions. If deletions were forgotten that this node was
     * never asked to confirm, the cluster took this node for gone. Then the records that this node kept from an earlier boot may
     * have been deleted meanwhile. It drops them, and takes those of the others.
     *
     * @return how many records were dropped
     */
    long heard(long otherClock, long otherForgotten, Turn turn) {
        clock = Math.max(clock, otherClock);
        if (otherForgotten <= forgotten) {
            return 0;
        }
        long given = 0;
        if (otherForgotten > confirmed && old > 0) {
            List<StoredKey> doubtful = spaces.values().stream()
                    .flatMap(content -> content.values().stream())
                    .filter(record -> record.isOld)
                    .toList();
            doubtful.forEach(record -> remove(record, turn));
            given = doubtful.size();
        }
        forgot(otherForgotten, turn);
        return given;
    }
}
