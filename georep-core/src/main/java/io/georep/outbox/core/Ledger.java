package io.georep.outbox.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.NodeId;
import io.georep.model.StreamId;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The durable state of the outbox: stream tables in memory, and in the store the payloads (one value per group), a log
 * of facts (one small value per turn) and now and then a snapshot of the tables that replaces the log. Every change of
 * durable state goes through a method here, which both changes the table and writes the fact; booting replays the same
 * changes. So a restart with millions of entries reads no payload, and an adoption of a million entries writes one fact.
 */
final class Ledger {
    /** Bytes of facts after which a snapshot is written. */
    private static final int SNAPSHOT_AFTER_BYTES = 4 << 20;

    static final int STREAM = 1;
    static final int STORED = 2;
    static final int CUSTODY = 3;
    static final int FINISHED = 4;
    static final int TOLD = 5;
    static final int RELEASE = 6;
    static final int RELEASED = 7;
    static final int UNCONFIRMED = 8;
    static final int CONFIRMED = 9;
    static final int TAKEN = 10;
    static final int DEAD = 11;
    static final int ALIVE = 12;
    static final int FORGET = 13;
    static final int PREPARED = 14;
    static final int DECIDED = 15;
    static final int GIVEN_BACK = 16;
    static final int UNCERTAIN = 17;
    static final int OUTRANKED = 18;
    static final int AGE = 19;

    /** Added to the code of a fact about the same stream as the one before it. */
    static final int SAME_STREAM = 0x80;

    private final TreeMap<StreamId, StreamTable> tables = new TreeMap<>();
    final Archive archive = new Archive();
    final StoreAge age = new StoreAge();
    LedgerFollower follower = LedgerFollower.NONE;
    private final BinWriter facts = new BinWriter(256);
    private @Nullable StreamTable lastStream;

    /** Streams in which something changed since they were taken, in the order in which it did. */
    private List<StreamTable> changed = new ArrayList<>();

    long snapshotAfterBytes;
    private long factNumber;
    private long bytesSinceSnapshot;
    private long snapshotBytes;
    long now; // of this turn, set when something begins to happen in it
    private long boot;

    Ledger() {
        this(SNAPSHOT_AFTER_BYTES);
    }

    Ledger(long snapshotAfterBytes) {
        this.snapshotAfterBytes = snapshotAfterBytes;
    }

    /** Number of this boot in the ids of own entries, see {@link BootNumber}. */
    long boot() {
        return boot;
    }

    /** All tables in the order of their streams. */
    Collection<StreamTable> tables() {
        return tables.values();
    }

    @Nullable
    StreamTable find(StreamId id) {
        StreamTable last = lastStream;
        return last != null && last.id.equals(id) ? last : tables.get(id);
    }

    /** The table of a stream, made when it is new. */
    StreamTable open(StreamId id, String queue) {
        StreamTable known = tables.get(id);
        if (known != null) {
            return known;
        }
        StreamTable table = make(id, queue);
        facts.u8(STREAM).stream(id).text(queue);
        touch(table);
        lastStream = table;
        return table;
    }

    /** A new table, with what is known from the archive. */
    StreamTable make(StreamId id, String queue) {
        StreamTable table = look(id, queue);
        archive.remove(id);
        tables.put(id, table);
        return table;
    }

    /** A table to look into only: a question must not make one. */
    StreamTable look(StreamId id, String queue) {
        StreamTable known = find(id);
        if (known != null) {
            return known;
        }
        return new StreamTable(id, queue, archive.of(id));
    }

    /** How many entries of a stream of this boot were accepted. */
    long acceptedIn(StreamId id) {
        StreamTable known = find(id);
        RangeList over = archive.of(id);
        long ended = over.isEmpty() ? 0 : over.to(over.count() - 1);
        return known == null ? ended : known.next();
    }

    void putAway(StreamTable table, long touchedMillis) {
        tables.remove(table.id);
        table.away = true;
        archive.add(table, touchedMillis);
    }

    void touchedAt(StreamTable table, long ageMillis) {
        table.touchedNanos = age.nanosAt(ageMillis);
    }

    /** New entries with their payload: the value of a group is written once and deleted once. */
    void stored(StreamTable table, Group group, Custody custody, Turn turn) {
        turn.store().put(OutboxKeys.group(table.id, group.first), group.bytes());
        begin(STORED, table).varint(group.first).varint(group.count());
        custody.writeFact(facts);
        table.stored(group.first, group.to(), custody);
        if (group.prepared) {
            prepared(table, RangeList.of(group.first, group.to()));
        }
    }

    /** Entries wait for the decision of their producer. */
    void prepared(StreamTable table, RangeList ranges) {
        ranges.write(begin(PREPARED, table));
        table.prepared(ranges);
    }

    /** Entries change hands. */
    void custody(StreamTable table, RangeList ranges, Custody custody, Turn turn) {
        if (!ranges.isEmpty()) {
            ranges.write(begin(CUSTODY, table));
            custody.writeFact(facts);
            List<Long> dropped = table.changedHands(ranges, custody);
            follower.changedHands(table, ranges, custody, turn);
            delete(dropped, table, turn);
        }
    }

    /** Entries are over (forwarded here or elsewhere, or withdrawn): tombstones, and the owners to be told. */
    void finished(StreamTable table, RangeList ranges, Collection<NodeId> toTell, Turn turn) {
        if (ranges.isEmpty()) {
            return;
        }
        ranges.write(begin(FINISHED, table));
        facts.u8(toTell.size());
        toTell.forEach(facts::node);
        List<Long> dropped = table.finished(ranges, toTell);
        follower.over(table, ranges, turn);
        delete(dropped, table, turn);
    }

    /** An owner confirmed DELETE. */
    void told(StreamTable table, NodeId owner, RangeList ranges) {
        if (!ranges.isEmpty()) {
            ranges.write(begin(TOLD, table).node(owner));
            table.duties.told(owner, ranges);
        }
    }

    /** A node is no longer an owner of these live entries and must be told so. */
    void release(StreamTable table, NodeId owner, RangeList ranges) {
        if (!ranges.isEmpty()) {
            ranges.write(begin(RELEASE, table).node(owner));
            table.duties.replaced(owner, ranges);
        }
    }

    /** A former owner confirmed its release. */
    void released(StreamTable table, NodeId owner, RangeList ranges) {
        if (!ranges.isEmpty()) {
            ranges.write(begin(RELEASED, table).node(owner));
            table.duties.released(owner, ranges);
        }
    }

    /** An owner must be told of the present claim. */
    void unconfirmed(StreamTable table, NodeId owner, RangeList ranges) {
        if (!ranges.isEmpty()) {
            ranges.write(begin(UNCONFIRMED, table).node(owner));
            table.duties.claimed(owner, ranges);
        }
    }

    /** An owner confirmed the present claim. */
    void confirmed(StreamTable table, NodeId owner, RangeList ranges) {
        if (!ranges.isEmpty()) {
            ranges.write(begin(CONFIRMED, table).node(owner));
            table.duties.confirmed(owner, ranges);
        }
    }

    /** Another claim outranks the one of this node, which nobody needs to confirm any more. */
    void outranked(StreamTable table, RangeList ranges) {
        if (!table.duties.unconfirmed.isEmpty()) {
            ranges.write(begin(OUTRANKED, table));
            table.duties.outranked(ranges);
        }
    }

    /** Entries were handed to the application. */
    void taken(StreamTable table, RangeList ranges) {
        ranges.write(begin(TAKEN, table));
        table.taken(ranges);
    }

    /** The application gave entries back: whether it forwarded them is not known. */
    void givenBack(StreamTable table, RangeList ranges) {
        ranges.write(begin(GIVEN_BACK, table));
        table.givenBack(ranges);
    }

    /** Entries this node holds may have been forwarded by somebody. */
    void uncertain(StreamTable table, RangeList ranges) {
        RangeList fresh = ranges.without(table.uncertain.within(ranges));
        if (!fresh.isEmpty()) {
            fresh.write(begin(UNCERTAIN, table));
            table.doubted(fresh);
        }
    }

    /** Prepared entries may be handed out. */
    void decided(StreamTable table, RangeList ranges) {
        if (!ranges.isEmpty()) {
            ranges.write(begin(DECIDED, table));
            table.decided(ranges);
        }
    }

    /** An entry became a dead letter. */
    void dead(StreamTable table, RangeList ranges) {
        ranges.write(begin(DEAD, table));
        table.setAside(ranges);
    }

    /** Dead letters live again. */
    void alive(StreamTable table, RangeList ranges) {
        ranges.write(begin(ALIVE, table));
        table.revived(ranges);
    }

    /** Streams of a node that were put away and are not old. */
    List<Archive.Recent> recentOf(NodeId origin) {
        return archive.recentOf(origin, age.pastLifeMillis(now));
    }

    /** A stream of which nothing is left but tombstones: they are kept as few ranges. */
    void forget(StreamTable table) {
        long touchedMillis = age.millisAt(table.touchedNanos);
        begin(FORGET, table);
        putAway(table, Math.max(0, touchedMillis));
        lastStream = null;
    }

    /** Called about once a second: notes the age of the store when it is time, and lets what is over grow old. */
    void grow() {
        if (age.isNoteDue(now)) {
            facts.u8(AGE).varint(age.note(now));
        }
        archive.retire(age.pastLifeMillis(now));
    }

    private void touch(StreamTable table) {
        table.touchedNanos = now;
        if (!table.changed) {
            table.changed = true;
            changed.add(table);
        }
    }

    /** The streams in which something changed since the last call; after boot all of them. */
    List<StreamTable> takeChanged() {
        List<StreamTable> taken = changed;
        changed = new ArrayList<>();
        taken.forEach(table -> table.changed = false);
        return taken;
    }

    /** The streams from one on, or behind it, in their order. */
    List<StreamTable> tablesFrom(StreamId from, boolean inclusive, int max) {
        return tables.tailMap(from, inclusive).values().stream().limit(max).toList();
    }

    private BinWriter begin(int fact, StreamTable table) {
        if (table.away) {
            throw new IllegalStateException(
                    table + " was put away: a fact about it could not be read at the next boot");
        }
        touch(table);
        boolean same = lastStream == table;
        facts.u8(same ? fact | SAME_STREAM : fact);
        if (!same) {
            facts.stream(table.id);
            lastStream = table;
        }
        return facts;
    }

    private static void delete(List<Long> groups, StreamTable table, Turn turn) {
        for (long first : groups) {
            turn.store().deleteOnce(OutboxKeys.group(table.id, first));
        }
    }

    /** Writes the facts of this turn, or a snapshot when the log has grown long. */
    void flush(Turn turn) {
        if (facts.size() == 0) {
            return;
        }
        factNumber++;
        turn.store().put(OutboxKeys.fact(factNumber), facts.toSlice());
        bytesSinceSnapshot += facts.size();
        facts.clear();
        lastStream = null;
        if (bytesSinceSnapshot > Math.max(snapshotAfterBytes, snapshotBytes)) {
            snapshotBytes = Snapshot.write(factNumber, tables.values(), archive, age, turn.store());
            turn.store().deleteRange(OutboxKeys.fact(0), OutboxKeys.fact(factNumber + 1));
            bytesSinceSnapshot = 0;
        }
    }

    /** Rebuilds the tables from snapshot and facts. */
    void boot(EntryStore store, Turn turn) {
        now = turn.now();
        boot = 0;
        store.scanNow(OutboxKeys.boot(), OutboxKeys.fact(0), (key, value) -> {
            boot = new BinReader(value).i64();
            return false;
        });
        boot = BootNumber.after(boot, turn);
        archive.presentBoot = boot;
        turn.store().put(OutboxKeys.boot(), new BinWriter(8).i64(boot).toSlice());
        factNumber = Snapshot.read(store, tables, archive, age);
        FactReplay replay = new FactReplay(this, age);
        store.scanNow(OutboxKeys.fact(0), OutboxKeys.fact(Long.MAX_VALUE), (key, value) -> {
            long number = OutboxKeys.factNumber(key);
            if (number > factNumber) {
                factNumber = number;
                bytesSinceSnapshot += value.length();
                replay.replay(number, value);
            }
            return true;
        });
        lastStream = null;
        bootAge();
        for (StreamTable table : tables.values()) {
            table.restarted();
            table.changed = true;
            changed.add(table);
        }
    }

    /** What was read counts from the first boot on; from here on it counts on the clock of this one. */
    private void bootAge() {
        Map<StreamTable, Long> touchedMillis = new HashMap<>();
        tables.values().forEach(table -> touchedMillis.put(table, age.millisAt(table.touchedNanos)));
        age.boot(now);
        touchedMillis.forEach(this::touchedAt);
        facts.u8(AGE).varint(age.note(now));
        archive.retire(age.pastLifeMillis(now));
    }
}
