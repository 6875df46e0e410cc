package io.georep.outbox.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.EntryId;
import io.georep.model.Slice;
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
final class DeadLetters {
    private final OutboxContext context;
    private final Deliveries deliveries;

    DeadLetters(OutboxContext context, Deliveries deliveries) {
        this.context = context;
        this.deliveries = deliveries;
    }

    void add(OutboxCommand.DeadLetter command, Turn turn) {
        EntryId id = command.id();
        StreamTable table = context.ledger.find(id.stream());
        if (table != null && table.taken.contains(id.sequence())) {
            context.ledger.dead(table, RangeList.of(id.sequence(), id.sequence() + 1));
            BinWriter record = new BinWriter()
                    .varint(command.attempts())
                    .varint(turn.wallMillis())
                    .text(command.reason());
            turn.store().put(OutboxKeys.deadLetter(id.stream(), id.sequence()), record.toSlice());
        }
    }

    /** Entries left this node by another way. */
    void forget(StreamTable table, RangeList ranges, Turn turn) {
        RangeList dead = table.dead.within(ranges);
        if (!dead.isEmpty()) {
            context.ledger.alive(table, dead);
            deleteRecords(table, dead, turn);
        }
    }

    private static void deleteRecords(StreamTable table, RangeList ranges, Turn turn) {
        for (int i = 0; i < ranges.count(); i++) {
            turn.store()
                    .deleteRange(
                            OutboxKeys.deadLetter(table.id, ranges.from(i)),
                            OutboxKeys.deadLetter(table.id, ranges.to(i)));
        }
    }

    void replay(OutboxCommand.ReplayDeadLetters command, Turn turn) {
        long count = 0;
        Map<StreamTable, RangeList> selected = select(command.queue(), command.ids());
        for (Map.Entry<StreamTable, RangeList> item : selected.entrySet()) {
            context.ledger.alive(item.getKey(), item.getValue());
            deleteRecords(item.getKey(), item.getValue(), turn);
            deliveries.offer(item.getKey(), item.getValue(), null);
            count += item.getValue().total();
        }
        turn.notifyWhenDurable(new OutboxEvent.Changed(command.token(), count));
    }

    void delete(OutboxCommand.DeleteDeadLetters command, Endings endings, Turn turn) {
        long count = 0;
        Map<StreamTable, RangeList> selected = select(command.queue(), command.ids());
        for (Map.Entry<StreamTable, RangeList> item : selected.entrySet()) {
            deleteRecords(item.getKey(), item.getValue(), turn);
            endings.finish(item.getKey(), item.getValue(), turn);
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
    void list(OutboxCommand.ListDeadLetters command, Turn turn) {
        EntryPage.read(
                context,
                command.queue(),
                command.after(),
                command.max(),
                table -> table.dead,
                (found, more, later) -> new Page(command.token(), found, more).readNext(later),
                turn);
    }

    /** One answer in the making: a record is read for each dead letter, one after the other. */
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
                turn.notify(new OutboxEvent.DeadLetters(token, letters, more));
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
            BinReader in = new BinReader(record);
            int attempts = (int) in.varint(Integer.MAX_VALUE, "attempts");
            long atMillis = in.varint();
            return new OutboxEvent.DeadLetter(entry.id(), entry.payload(), attempts, in.text(), atMillis);
        }
    }
}
