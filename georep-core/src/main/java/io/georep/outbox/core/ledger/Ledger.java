package io.georep.outbox.core.ledger;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.BrokenInvariantException;
import io.georep.model.NodeId;
import io.georep.model.StreamId;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.Group;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
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
public final class Ledger {
    /** Bytes of facts after which a snapshot is written. */
    private static final int SNAPSHOT_AFTER_BYTES = 4 << 20;

    public static final int STREAM = 1;
    public static final int FORGET = 13;
    public static final int AGE = 19;
    public static final int BOOT = 20;
    static final int RETIRED = 21;

    /** Added to the code of a fact about the same stream as the one before it. */
    public static final int SAME_STREAM = 0x80;

    private final TreeMap<StreamId, StreamTable> tables = new TreeMap<>();
    public final Archive archive = new Archive();
    public final StoreAge age = new StoreAge();
    public LedgerFollower follower = LedgerFollower.NONE;
    private final BinWriter facts = new BinWriter(256);
    private @Nullable StreamTable lastStream;

    /** Streams in which something changed since they were taken, in the order in which it did. */
    private List<StreamTable> changed = new ArrayList<>();

    public long snapshotAfterBytes;
    private long factNumber;
    private long bytesSinceSnapshot;
    private long snapshotBytes;
    public long now; // of this turn, set when something begins to happen in it
    private long boot;

    public Ledger() {
        this(SNAPSHOT_AFTER_BYTES);
    }

    public Ledger(long snapshotAfterBytes) {
        this.snapshotAfterBytes = snapshotAfterBytes;
    }

    /** Returns the number of this boot in the ids of own entries, see {@link BootNumber}. */
    public long boot() {
        return boot;
    }

    /** Returns all tables, in the order of their streams. */
    public Collection<StreamTable> tables() {
        return tables.values();
    }

    @Nullable
    public StreamTable find(StreamId id) {
        StreamTable last = lastStream;
        return last != null && last.id.equals(id) ? last : tables.get(id);
    }

    /** Returns the table of a stream, made when it is new. */
    public StreamTable open(StreamId id, String queue) {
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

    /** Makes the table of a stream that has none, with what the archive knows of it. */
    StreamTable make(StreamId id, String queue) {
        StreamTable table = look(id, queue);
        archive.remove(id);
        add(table);
        return table;
    }

    /** Returns a table for reading. If the stream has none, the table is not kept: a question must not open a stream. */
    public StreamTable look(StreamId id, String queue) {
        StreamTable known = find(id);
        if (known != null) {
            return known;
        }
        return new StreamTable(id, queue, archive.of(id));
    }

    /** Returns how many entries of a stream of this boot were accepted. */
    public long acceptedIn(StreamId id) {
        StreamTable known = find(id);
        RangeList finished = archive.of(id);
        long next = finished.isEmpty() ? 0 : finished.to(finished.count() - 1);
        return known == null ? next : known.next();
    }

    /** Puts a stream away in which nothing is left to do. */
    void putAway(StreamTable table) {
        tables.remove(table.id);
        table.away = true;
        archive.add(table);
    }

    /** Stores new entries with their payload. The value of a group is written once and deleted once. */
    public void stored(StreamTable table, Group group, Custody custody, Turn turn) {
        turn.store().put(OutboxKeys.group(table.id, group.first), group.bytes());
        note(table, new Fact.Stored(group.first, group.to(), custody));
        if (group.prepared) {
            note(table, Fact.Mark.PREPARED, RangeList.of(group.first, group.to()));
        }
    }

    /** Notes that entries are held in another way. */
    public void custody(StreamTable table, RangeList ranges, Custody custody, Turn turn) {
        if (!ranges.isEmpty()) {
            note(table, new Fact.ChangedHands(ranges, custody), turn);
            follower.changedHands(table, ranges, custody, turn);
        }
    }

    /** Entries are finished (forwarded here or elsewhere, or withdrawn): tombstones, and the owners to be told. */
    public void finished(StreamTable table, RangeList ranges, Collection<NodeId> toTell, Turn turn) {
        if (!ranges.isEmpty()) {
            note(table, new Fact.Finished(ranges, List.copyOf(toTell)), turn);
            follower.finished(table, ranges, turn);
        }
    }

    /** Notes that another claim outranks the one of this node, which then needs no more confirmations. */
    public void outranked(StreamTable table, RangeList ranges) {
        if (!table.duties.unconfirmed.isEmpty()) {
            note(table, Fact.Mark.OUTRANKED, ranges);
        }
    }

    /** Entries this node holds may have been forwarded by somebody. */
    public void uncertain(StreamTable table, RangeList ranges) {
        note(table, Fact.Mark.UNCERTAIN, ranges.without(table.uncertain.within(ranges)));
    }

    /** Notes what has become known of some entries. */
    public void note(StreamTable table, Fact.Mark mark, RangeList ranges) {
        if (!ranges.isEmpty()) {
            note(table, new Fact.OfEntries(mark, ranges));
        }
    }

    /** Notes what an owner has to be told about some entries, or has confirmed. */
    public void note(StreamTable table, Fact.Duty duty, NodeId owner, RangeList ranges) {
        if (!ranges.isEmpty()) {
            note(table, new Fact.OfOwner(duty, owner, ranges));
        }
    }

    private void note(StreamTable table, Fact fact) {
        write(table, fact);
        fact.apply(table, noGroup -> {});
    }

    /** A fact that may leave payloads behind which nobody needs. */
    private void note(StreamTable table, Fact fact, Turn turn) {
        write(table, fact);
        fact.apply(table, first -> turn.store().deleteOnce(OutboxKeys.group(table.id, first)));
    }

    private void write(StreamTable table, Fact fact) {
        begin(fact.code(), table);
        touch(table);
        fact.write(facts);
    }

    /** Returns the streams of a node that were put away and are not old. */
    public List<Archive.Recent> recentOf(NodeId origin) {
        return archive.recentOf(origin, age.pastLifeMillis(now));
    }

    /** Puts a stream away of which only tombstones are left: they are kept as a few ranges. */
    public void forget(StreamTable table) {
        begin(FORGET, table);
        putAway(table);
        lastStream = null;
    }

    /** Called about once a second: notes the age of the store when it is time, and lets what is over grow old. */
    public void grow() {
        if (age.isNoteDue(now)) {
            noteAge();
        }
        retire();
    }

    private void noteAge() {
        long millis = age.next(now);
        facts.u8(AGE).varint(millis);
        age.noted(millis);
    }

    private void retire() {
        long before = age.pastLifeMillis(now);
        if (archive.hasOlder(before)) {
            facts.u8(RETIRED).varint(before);
            archive.retire(before);
        }
    }

    /** Begins a boot: the application may have forwarded what it had in its hands. */
    void booted(long number) {
        archive.booted(number);
        tables.values().forEach(StreamTable::restarted);
    }

    private void touch(StreamTable table) {
        table.touchedMillis = age.notedMillis();
        table.touchedNanos = now;
        if (!table.changed) {
            table.changed = true;
            changed.add(table);
        }
    }

    /** Returns the streams in which something changed since the last call; after boot all of them. */
    public List<StreamTable> takeChanged() {
        List<StreamTable> taken = changed;
        changed = new ArrayList<>();
        taken.forEach(table -> table.changed = false);
        return taken;
    }

    /** Returns the streams from one on, or behind it, in their order: a view, which would have to count to tell its size. */
    Collection<StreamTable> tablesFrom(StreamId from, boolean inclusive) {
        return tables.tailMap(from, inclusive).values();
    }

    private void begin(int fact, StreamTable table) {
        if (table.away) {
            throw new BrokenInvariantException(
                    table + " was put away: a fact about it could not be read at the next boot");
        }
        boolean same = lastStream == table;
        facts.u8(same ? fact | SAME_STREAM : fact);
        if (!same) {
            facts.stream(table.id);
            lastStream = table;
        }
    }

    /** Writes the facts of this turn, or a snapshot when the log has grown long. */
    public void flush(Turn turn) {
        if (facts.size() == 0) {
            return;
        }
        factNumber++;
        turn.store().put(OutboxKeys.fact(factNumber), facts.toSlice());
        bytesSinceSnapshot += facts.size();
        facts.clear();
        lastStream = null;
        if (bytesSinceSnapshot > Math.max(snapshotAfterBytes, snapshotBytes)) {
            snapshotBytes = Snapshot.write(factNumber, this, turn.store());
            turn.store().deleteRange(OutboxKeys.fact(0), OutboxKeys.fact(factNumber + 1));
            bytesSinceSnapshot = 0;
        }
    }

    /** Rebuilds the tables from snapshot and facts, and begins a boot. */
    public void boot(EntryStore store, Turn turn) {
        now = turn.now();
        load(store);
        boot = 0;
        store.scanNow(OutboxKeys.boot(), OutboxKeys.fact(0), (key, value) -> {
            boot = new BinReader(value).i64();
            return false;
        });
        boot = BootNumber.after(boot, turn);
        turn.store().put(OutboxKeys.boot(), new BinWriter(8).i64(boot).toSlice());
        facts.u8(BOOT).i64(boot);
        booted(boot);
        age.boot(now);
        noteAge();
        retire();
        for (StreamTable table : tables.values()) {
            table.touchedNanos = age.nanosAt(table.touchedMillis);
            table.changed = true;
            changed.add(table);
        }
    }

    /** Reads what was written: the state of the ledger that wrote it. */
    public void load(EntryStore store) {
        factNumber = Snapshot.read(store, this);
        FactReplay replay = new FactReplay(this);
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
    }

    /** Returns whether everything known is in batches of the store. */
    public boolean isFlushed() {
        return facts.size() == 0;
    }

    /** All that is durable, but the payloads: as a snapshot written now. */
    public StoreBatch image() {
        StoreBatch image = new StoreBatch();
        Snapshot.write(factNumber, this, image);
        return image;
    }

    /** Takes a table that was read. */
    void add(StreamTable table) {
        tables.put(table.id, table);
    }
}
