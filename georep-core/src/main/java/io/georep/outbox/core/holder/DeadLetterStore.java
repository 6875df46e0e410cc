package io.georep.outbox.core.holder;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.EntryId;
import io.georep.model.EntryState;
import io.georep.model.Slice;
import io.georep.outbox.core.context.AttemptMark;
import io.georep.outbox.core.context.AttemptNews;
import io.georep.outbox.core.context.OutboxContext;
import io.georep.outbox.core.ledger.Fact;
import io.georep.outbox.core.ledger.OutboxKeys;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Entries the application gave up on: still held here and copied on the other owners, but not handed out until an
 * operator replays or deletes them. Why and when is kept in one small record each.
 */
public final class DeadLetterStore {
    private final OutboxContext context;
    private final Deliveries deliveries;

    public DeadLetterStore(OutboxContext context, Deliveries deliveries) {
        this.context = context;
        this.deliveries = deliveries;
    }

    public void add(OutboxCommand.MakeDeadLetter command, Turn turn) {
        EntryId id = command.id();
        long sequence = id.sequence();
        StreamTable table = context.ledger.find(id.stream());
        if (table != null && table.taken.contains(sequence)) {
            context.ledger.note(table, Fact.Mark.DEAD_LETTER, RangeList.of(sequence, sequence + 1));
            AttemptNews.Letter letter = new AttemptNews.Letter(command.attempts(), turn.wallMillis(), command.reason());
            write(table, sequence, letter, turn);
            context.attempts.mark(
                    table, sequence, context.attempts.mark(table, sequence).deadLetter(command.attempts()), turn);
        }
    }

    private static void write(StreamTable table, long sequence, AttemptNews.Letter letter, Turn turn) {
        BinWriter record = new BinWriter();
        letter.write(record);
        turn.store().put(OutboxKeys.deadLetter(table.id, sequence), record.toSlice());
    }

    /** Takes over what another owner knows of attempts, where this node knows less. */
    public void told(Peer from, @Nullable StreamTable table, List<AttemptNews.Item> items, Turn turn) {
        if (table == null) {
            return;
        }
        for (AttemptNews.Item item : items) {
            RangeList entry = RangeList.of(item.sequence(), item.sequence() + 1);
            if (!context.senderRights.heeded(from.id(), table, entry, turn).isEmpty()) {
                told(table, item, turn);
            }
        }
    }

    private void told(StreamTable table, AttemptNews.Item item, Turn turn) {
        long sequence = item.sequence();
        Custody custody = table.custodyOf(sequence);
        AttemptMark known = context.attempts.mark(table, sequence);
        if (custody == null
                || custody.state() == EntryState.REMOVED
                || !item.mark().outranks(known)) {
            return;
        }
        context.attempts.write(table, sequence, item.mark(), turn);
        if (item.letter() != null) {
            write(table, sequence, item.letter(), turn);
        }
        if (custody.state() == EntryState.HELD) {
            RangeList entry = RangeList.of(sequence, sequence + 1);
            if (table.dead.contains(sequence) && !item.mark().dead()) {
                context.ledger.note(table, Fact.Mark.REVIVED, entry);
                deliveries.offer(table, entry, null);
            } else if (table.ready.contains(sequence) && item.mark().dead()) {
                deliveries.withdraw(table, entry);
                context.ledger.note(table, Fact.Mark.DEAD_LETTER, entry);
            }
        }
    }

    /**
     * Removes entries from the dead letters that left this node in another way. What is known of their attempts stays as long
     * as a copy does.
     */
    public void forget(StreamTable table, RangeList ranges) {
        RangeList dead = table.dead.within(ranges);
        if (!dead.isEmpty()) {
            context.ledger.note(table, Fact.Mark.REVIVED, dead);
        }
    }

    public void replay(OutboxCommand.ReplayDeadLetters command, Turn turn) {
        long count = 0;
        Map<StreamTable, RangeList> selected = select(command.queue(), command.ids());
        for (Map.Entry<StreamTable, RangeList> item : selected.entrySet()) {
            StreamTable table = item.getKey();
            RangeList entries = item.getValue();
            context.ledger.note(table, Fact.Mark.REVIVED, entries);
            for (int i = 0; i < entries.count(); i++) {
                for (long sequence = entries.from(i); sequence < entries.to(i); sequence++) {
                    turn.store().delete(OutboxKeys.deadLetter(table.id, sequence));
                    context.attempts.mark(
                            table,
                            sequence,
                            context.attempts.mark(table, sequence).anew(),
                            turn);
                }
            }
            deliveries.offer(table, entries, null);
            count += entries.total();
        }
        turn.notifyWhenDurable(new OutboxEvent.Changed(command.token(), count));
    }

    public void delete(OutboxCommand.DeleteDeadLetters command, Completion completion, Turn turn) {
        long count = 0;
        Map<StreamTable, RangeList> selected = select(command.queue(), command.ids());
        for (Map.Entry<StreamTable, RangeList> item : selected.entrySet()) {
            completion.finish(item.getKey(), item.getValue(), turn);
            count += item.getValue().total();
        }
        turn.notifyWhenDurable(new OutboxEvent.Changed(command.token(), count));
    }

    private Map<StreamTable, RangeList> select(String queue, @Nullable List<EntryId> ids) {
        Map<StreamTable, RangeList> selected = new LinkedHashMap<>();
        for (StreamTable table : context.ledger.tables()) {
            if (table.queue.equals(queue) && !table.dead.isEmpty()) {
                RangeList ranges = ids == null ? table.dead.all() : chosen(table, ids);
                if (!ranges.isEmpty()) {
                    selected.put(table, ranges);
                }
            }
        }
        return selected;
    }

    private static RangeList chosen(StreamTable table, List<EntryId> ids) {
        SequenceSet chosen = new SequenceSet();
        for (EntryId id : ids) {
            if (id.stream().equals(table.id) && table.dead.contains(id.sequence())) {
                chosen.add(id.sequence());
            }
        }
        return chosen.all();
    }

    /** Reads a page: the entries, then the record of each. */
    public void list(OutboxCommand.ListDeadLetters command, Turn turn) {
        EntryPage.read(
                context,
                command.queue(),
                command.after(),
                command.max(),
                table -> table.dead,
                (found, more, later) -> new Page(command.token(), found, more).readNext(later),
                turn);
    }

    /** A page that is being read: for each dead letter a record, one after the other. */
    private static final class Page {
        private final Object token;
        private final Iterator<EntryPage.Found> entries;
        private final boolean more;
        private final List<OutboxEvent.DeadLetter> letters = new ArrayList<>();

        Page(Object token, List<EntryPage.Found> entries, boolean more) {
            this.token = token;
            this.entries = entries.iterator();
            this.more = more;
        }

        void readNext(Turn turn) {
            if (!entries.hasNext()) {
                turn.notify(new OutboxEvent.DeadLetterPage(token, letters, more));
                return;
            }
            EntryPage.Found entry = entries.next();
            EntryId id = entry.id();
            byte[] key = OutboxKeys.deadLetter(id.stream(), id.sequence());
            byte[] end = OutboxKeys.deadLetter(id.stream(), id.sequence() + 1);
            turn.read(key, end, 1, 1 << 16, (records, cut, later) -> {
                records.forEach(record -> letters.add(letter(entry, record.value())));
                readNext(later);
            });
        }

        private static OutboxEvent.DeadLetter letter(EntryPage.Found entry, Slice record) {
            AttemptNews.Letter letter = AttemptNews.Letter.read(new BinReader(record));
            return new OutboxEvent.DeadLetter(
                    entry.id(), entry.payload(), letter.attempts(), letter.reason(), letter.atMillis());
        }
    }
}
