package io.georep.outbox.core.context;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.EntryId;
import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.StreamId;
import io.georep.outbox.core.ledger.LedgerFollower;
import io.georep.outbox.core.ledger.OutboxKeys;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How often entries were tried, and which of them the application gave up on (6.13). The holder tells the other owners,
 * so that the count goes on when another node adopts an entry or this one is started again. An entry that was forwarded
 * at the first attempt, as nearly all are, has no mark and costs nothing.
 *
 * <p>Marks are records beside the ledger's facts: one that is lost makes an entry be tried more often, never less.
 */
public final class Attempts implements LedgerFollower {
    private final OutboxContext context;
    private final AttemptNews news;
    private final Map<StreamId, NavigableMap<Long, AttemptMark>> marks = new TreeMap<>();

    Attempts(OutboxContext context) {
        this.context = context;
        this.news = new AttemptNews(context, this);
    }

    /** Reads the marks; those of entries that are over meanwhile go. */
    public void boot(EntryStore store, Turn turn) {
        store.scanNow(OutboxKeys.attempts(), OutboxKeys.attemptsEnd(), (key, value) -> {
            EntryId id = OutboxKeys.entry(key);
            StreamTable table = context.ledger.find(id.stream());
            Custody custody = table == null ? null : table.custodyOf(id.sequence());
            if (custody == null || custody.state() == EntryState.REMOVED) {
                delete(id, turn);
            } else {
                marksOf(id.stream()).put(id.sequence(), AttemptMark.read(new BinReader(value)));
            }
            return true;
        });
    }

    private NavigableMap<Long, AttemptMark> marksOf(StreamId stream) {
        return marks.computeIfAbsent(stream, none -> new TreeMap<>());
    }

    /** Returns the marks of a stream by sequence number; null when no entry of it has any. */
    @Nullable
    public NavigableMap<Long, AttemptMark> of(StreamTable table) {
        return marks.get(table.id);
    }

    /** Returns the mark of an entry. */
    public AttemptMark mark(StreamTable table, long sequence) {
        NavigableMap<Long, AttemptMark> ofStream = of(table);
        return ofStream == null ? AttemptMark.NONE : ofStream.getOrDefault(sequence, AttemptMark.NONE);
    }

    /** Attempts failed at entries the application has in its hands, or has given back since. */
    public void failed(List<OutboxCommand.Failure> failures, Turn turn) {
        for (OutboxCommand.Failure failure : failures) {
            long sequence = failure.id().sequence();
            StreamTable table = context.ledger.find(failure.id().stream());
            Custody custody = table == null ? null : table.custodyOf(sequence);
            if (table != null && custody != null && custody.state() == EntryState.HELD) {
                mark(table, sequence, mark(table, sequence).failed(failure.attempts()), turn);
            }
        }
    }

    /** Marks an entry this node holds, and tells the other owners. */
    public void mark(StreamTable table, long sequence, AttemptMark mark, Turn turn) {
        write(table, sequence, mark, turn);
        tell(table, sequence, table.custodyOf(sequence));
    }

    /** Marks an entry, without telling others. */
    public void write(StreamTable table, long sequence, AttemptMark mark, Turn turn) {
        marksOf(table.id).put(sequence, mark);
        BinWriter record = new BinWriter();
        mark.write(record);
        turn.store().put(OutboxKeys.attempts(table.id, sequence), record.toSlice());
    }

    /** Returns the entries of these ranges that a holder gave up on. */
    public RangeList dead(StreamTable table, RangeList ranges) {
        NavigableMap<Long, AttemptMark> ofStream = of(table);
        SequenceSet dead = new SequenceSet();
        if (ofStream != null) {
            within(ofStream, ranges, (sequence, mark) -> {
                if (mark.dead()) {
                    dead.add(sequence);
                }
            });
        }
        return dead.all();
    }

    /** Called when entries are held in another way: tells their owners what this node knows of the attempts. */
    @Override
    public void changedHands(StreamTable table, RangeList ranges, Custody custody, Turn turn) {
        NavigableMap<Long, AttemptMark> ofStream = of(table);
        if (ofStream == null) {
            return;
        }
        if (custody.state() == EntryState.REMOVED) {
            finished(table, ranges, turn);
        } else {
            within(ofStream, ranges, (sequence, mark) -> tell(table, sequence, custody));
        }
    }

    /** Entries are over here. */
    @Override
    public void finished(StreamTable table, RangeList ranges, Turn turn) {
        NavigableMap<Long, AttemptMark> ofStream = of(table);
        if (ofStream == null) {
            return;
        }
        for (int i = 0; i < ranges.count(); i++) {
            Map<Long, AttemptMark> hit = ofStream.subMap(ranges.from(i), ranges.to(i));
            hit.keySet().forEach(sequence -> delete(new EntryId(table.id, sequence), turn));
            hit.clear();
        }
        if (ofStream.isEmpty()) {
            marks.remove(table.id);
        }
    }

    private static void delete(EntryId id, Turn turn) {
        turn.store().delete(OutboxKeys.attempts(id.stream(), id.sequence()));
        turn.store().delete(OutboxKeys.deadLetter(id.stream(), id.sequence()));
    }

    /** What this peer was told may not have arrived. */
    public void peerReachable(Peer peer) {
        marks.forEach((stream, ofStream) -> {
            StreamTable table = context.ledger.find(stream);
            if (table != null) {
                ofStream.keySet().forEach(sequence -> {
                    Custody custody = table.custodyOf(sequence);
                    if (custody != null && listeners(custody).contains(peer.id())) {
                        news.add(peer.id(), table, sequence);
                    }
                });
            }
        });
    }

    private void tell(StreamTable table, long sequence, @Nullable Custody custody) {
        if (custody != null) {
            listeners(custody).forEach(owner -> news.add(owner, table, sequence));
        }
    }

    /** A holder tells all owners; another owner tells the holder, which may have adopted without knowing. */
    private List<NodeId> listeners(Custody custody) {
        if (custody.state() == EntryState.HELD) {
            return custody.others(context.self());
        }
        return custody.first().equals(context.self()) ? List.of() : List.of(custody.first());
    }

    /** Sends what is to be told. */
    void endOfTurn(Turn turn) {
        news.flush(turn);
    }

    private interface Visitor {
        void mark(long sequence, AttemptMark mark);
    }

    private static void within(NavigableMap<Long, AttemptMark> ofStream, RangeList ranges, Visitor visitor) {
        for (int i = 0; i < ranges.count(); i++) {
            ofStream.subMap(ranges.from(i), ranges.to(i)).forEach(visitor::mark);
        }
    }
}
