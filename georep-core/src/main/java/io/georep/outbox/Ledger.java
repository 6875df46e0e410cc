package io.georep.outbox;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.Bound;
import io.georep.codec.MalformedException;
import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.model.StoreException;
import io.georep.model.StreamId;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
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

    private static final int STREAM = 1;
    private static final int STORED = 2;
    private static final int CUSTODY = 3;
    private static final int FINISHED = 4;
    private static final int TOLD = 5;
    private static final int RELEASE = 6;
    private static final int RELEASED = 7;
    private static final int UNCONFIRMED = 8;
    private static final int CONFIRMED = 9;
    private static final int TAKEN = 10;
    private static final int DEAD = 11;
    private static final int ALIVE = 12;
    private static final int FORGET = 13;
    private static final int PREPARED = 14;
    private static final int DECIDED = 15;
    private static final int GIVEN_BACK = 16;
    private static final int UNCERTAIN = 17;
    private static final int OUTRANKED = 18;

    private final TreeMap<StreamId, StreamTable> tables = new TreeMap<>();
    private final Archive archive = new Archive();
    private final BinWriter facts = new BinWriter(256);
    private @Nullable StreamTable lastStream;
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
        StreamTable table = new StreamTable(id, queue);
        tables.put(id, table);
        facts.u8(STREAM).stream(id).text(queue);
        lastStream = table;
        unpack(table);
        return table;
    }

    /** A table to look into only: a question must not make one. */
    StreamTable look(StreamId id, String queue) {
        StreamTable known = find(id);
        if (known != null) {
            return known;
        }
        StreamTable table = new StreamTable(id, queue);
        table.finished.addAll(archive.of(id));
        return table;
    }

    private void unpack(StreamTable table) {
        table.finished.addAll(archive.of(table.id));
        archive.remove(table.id);
    }

    private void putAway(StreamTable table) {
        tables.remove(table.id);
        archive.add(table.id, table.finished);
    }

    /** New entries with their payload: the value of a group is written once and deleted once. */
    void stored(StreamTable table, Group group, Custody custody, Turn turn) {
        turn.store().put(OutboxKeys.group(table.id, group.first), group.bytes());
        begin(STORED, table).varint(group.first).varint(group.count());
        custody.writeFact(facts);
        table.applyStored(group.first, group.to(), custody);
        if (group.prepared) {
            prepared(table, RangeList.of(group.first, group.to()));
        }
    }

    /** Entries wait for the decision of their producer. */
    void prepared(StreamTable table, RangeList ranges) {
        ranges.write(begin(PREPARED, table));
        table.prepared.addAll(ranges);
    }

    /** Entries change hands. */
    void custody(StreamTable table, RangeList ranges, Custody custody, Turn turn) {
        if (!ranges.isEmpty()) {
            ranges.write(begin(CUSTODY, table));
            custody.writeFact(facts);
            table.applyCustody(ranges, custody);
            if (custody.state() == EntryState.REMOVED) {
                deleteDeadGroups(table, ranges, turn);
            }
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
        table.applyFinished(ranges, toTell);
        deleteDeadGroups(table, ranges, turn);
    }

    /** An owner confirmed DELETE. */
    void told(StreamTable table, NodeId owner, RangeList ranges) {
        if (!ranges.isEmpty()) {
            ranges.write(begin(TOLD, table).node(owner));
            StreamTable.strike(table.untold, owner, ranges);
        }
    }

    /** A node is no longer an owner of these live entries and must be told so. */
    void release(StreamTable table, NodeId owner, RangeList ranges) {
        if (!ranges.isEmpty()) {
            ranges.write(begin(RELEASE, table).node(owner));
            StreamTable.note(table.unreleased, owner, ranges);
        }
    }

    /** A former owner confirmed its release. */
    void released(StreamTable table, NodeId owner, RangeList ranges) {
        if (!ranges.isEmpty()) {
            ranges.write(begin(RELEASED, table).node(owner));
            StreamTable.strike(table.unreleased, owner, ranges);
        }
    }

    /** An owner must be told of the present claim. */
    void unconfirmed(StreamTable table, NodeId owner, RangeList ranges) {
        if (!ranges.isEmpty()) {
            ranges.write(begin(UNCONFIRMED, table).node(owner));
            StreamTable.note(table.unconfirmed, owner, ranges);
        }
    }

    /** An owner confirmed the present claim. */
    void confirmed(StreamTable table, NodeId owner, RangeList ranges) {
        if (!ranges.isEmpty()) {
            ranges.write(begin(CONFIRMED, table).node(owner));
            StreamTable.strike(table.unconfirmed, owner, ranges);
        }
    }

    /** Another claim outranks the one of this node, which nobody needs to confirm any more. */
    void outranked(StreamTable table, RangeList ranges) {
        if (!table.unconfirmed.isEmpty()) {
            ranges.write(begin(OUTRANKED, table));
            StreamTable.strikeAll(table.unconfirmed, ranges);
        }
    }

    /** Entries were handed to the application. */
    void taken(StreamTable table, RangeList ranges) {
        ranges.write(begin(TAKEN, table));
        table.taken.addAll(ranges);
        table.ready.removeAll(ranges);
    }

    /** The application gave entries back: whether it forwarded them is not known. */
    void givenBack(StreamTable table, RangeList ranges) {
        ranges.write(begin(GIVEN_BACK, table));
        table.applyGivenBack(ranges);
    }

    /** Entries this node holds may have been forwarded by somebody. */
    void uncertain(StreamTable table, RangeList ranges) {
        RangeList fresh = ranges.without(table.uncertain.within(ranges));
        if (!fresh.isEmpty()) {
            fresh.write(begin(UNCERTAIN, table));
            table.uncertain.addAll(fresh);
        }
    }

    /** Prepared entries may be handed out. */
    void decided(StreamTable table, RangeList ranges) {
        if (!ranges.isEmpty()) {
            ranges.write(begin(DECIDED, table));
            table.prepared.removeAll(ranges);
        }
    }

    /** An entry became a dead letter. */
    void dead(StreamTable table, RangeList ranges) {
        ranges.write(begin(DEAD, table));
        table.applyDead(ranges);
        table.ready.removeAll(ranges);
    }

    /** Dead letters live again. */
    void alive(StreamTable table, RangeList ranges) {
        ranges.write(begin(ALIVE, table));
        table.dead.removeAll(ranges);
    }

    /** A stream of which nothing is left but old tombstones: they are kept as few ranges. */
    void forget(StreamTable table) {
        begin(FORGET, table);
        putAway(table);
        lastStream = null;
    }

    private BinWriter begin(int fact, StreamTable table) {
        table.touchedNanos = now;
        boolean same = lastStream == table;
        facts.u8(same ? fact | 0x80 : fact);
        if (!same) {
            facts.stream(table.id);
            lastStream = table;
        }
        return facts;
    }

    private static void deleteDeadGroups(StreamTable table, RangeList ranges, Turn turn) {
        for (long first : table.deadGroups(ranges)) {
            table.dropGroup(first);
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
            snapshotBytes = Snapshot.write(factNumber, tables.values(), archive, turn.store());
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
        turn.store().put(OutboxKeys.boot(), new BinWriter(8).i64(boot).toSlice());
        factNumber = Snapshot.read(store, tables, archive);
        store.scanNow(OutboxKeys.fact(0), OutboxKeys.fact(Long.MAX_VALUE), (key, value) -> {
            long number = OutboxKeys.factNumber(key);
            if (number > factNumber) {
                factNumber = number;
                bytesSinceSnapshot += value.length();
                replay(number, value);
            }
            return true;
        });
        lastStream = null;
        for (StreamTable table : tables.values()) {
            table.touchedNanos = now;
            table.uncertain.addAll(table.taken);
            table.taken.clear();
        }
    }

    private void replay(long number, Slice value) {
        lastStream = null;
        try {
            BinReader in = new BinReader(value);
            while (in.hasMore()) {
                replayOne(in);
            }
        } catch (MalformedException e) {
            throw new StoreException(
                    StoreException.Kind.CORRUPT,
                    "fact " + number + " of the outbox cannot be read: " + e.getMessage()
                            + "; restore the data directory or start with an empty one, the other owners hold copies",
                    e);
        }
    }

    private void replayOne(BinReader in) {
        int code = in.u8();
        if (code == STREAM) {
            StreamId id = in.stream();
            lastStream = new StreamTable(id, in.text());
            tables.put(id, lastStream);
            unpack(lastStream);
            return;
        }
        if ((code & 0x80) == 0) {
            lastStream = tables.get(in.stream());
        }
        StreamTable table = lastStream;
        if (table == null) {
            throw new MalformedException("fact " + code + " about an unknown stream");
        }
        switch (code & 0x7f) {
            case STORED -> {
                long from = Bound.SEQUENCE.read(in);
                long to = from + in.varint(Integer.MAX_VALUE, "count");
                table.applyStored(from, to, Custody.readFact(in));
            }
            case CUSTODY -> {
                RangeList ranges = RangeList.read(in);
                table.applyCustody(ranges, Custody.readFact(in));
                table.deadGroups(ranges).forEach(table::dropGroup);
            }
            case FINISHED -> replayFinished(table, in);
            case TOLD -> StreamTable.strike(table.untold, in.node(), RangeList.read(in));
            case RELEASE -> StreamTable.note(table.unreleased, in.node(), RangeList.read(in));
            case RELEASED -> StreamTable.strike(table.unreleased, in.node(), RangeList.read(in));
            case UNCONFIRMED -> StreamTable.note(table.unconfirmed, in.node(), RangeList.read(in));
            case CONFIRMED -> StreamTable.strike(table.unconfirmed, in.node(), RangeList.read(in));
            case OUTRANKED -> StreamTable.strikeAll(table.unconfirmed, RangeList.read(in));
            case TAKEN -> table.taken.addAll(RangeList.read(in));
            case DEAD -> table.applyDead(RangeList.read(in));
            case ALIVE -> table.dead.removeAll(RangeList.read(in));
            case FORGET -> putAway(table);
            case PREPARED -> table.prepared.addAll(RangeList.read(in));
            case GIVEN_BACK -> table.applyGivenBack(RangeList.read(in));
            case UNCERTAIN -> table.uncertain.addAll(RangeList.read(in));
            case DECIDED -> table.prepared.removeAll(RangeList.read(in));
            default -> throw new MalformedException("unknown fact " + code);
        }
    }

    private static void replayFinished(StreamTable table, BinReader in) {
        RangeList ranges = RangeList.read(in);
        List<NodeId> toTell = new ArrayList<>();
        for (int count = in.u8(); count > 0; count--) {
            toTell.add(in.node());
        }
        table.applyFinished(ranges, toTell);
        table.deadGroups(ranges).forEach(table::dropGroup);
    }
}
