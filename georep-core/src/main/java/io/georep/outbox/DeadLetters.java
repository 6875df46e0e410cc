package io.georep.outbox;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.EntryId;
import io.georep.model.Slice;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Entries the application gave up on: still held here and copied on the other owners, but not handed out until an
 * operator replays or deletes them. Why and when is kept in one small record each.
 */
final class DeadLetters {
    /** Most dead letters in one answer; payloads are read for each. */
    private static final int PAGE_MAX = 1000;

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

    /** Reads a page: first the ids from memory, then record and payload of each from the store. */
    void list(OutboxCommand.ListDeadLetters command, Turn turn) {
        int max = Math.min(command.max(), PAGE_MAX);
        List<EntryId> ids = new ArrayList<>();
        EntryId after = command.after();
        for (StreamTable table : context.ledger.tables()) {
            if (table.queue.equals(command.queue())) {
                collect(table, after, max + 1, ids);
            }
        }
        boolean more = ids.size() > max;
        List<EntryId> page = more ? ids.subList(0, max) : ids;
        new Page(command.token(), page, more).readNext(turn);
    }

    private static void collect(StreamTable table, @Nullable EntryId after, int max, List<EntryId> ids) {
        if (after != null && table.id.compareTo(after.stream()) < 0) {
            return;
        }
        long next = table.dead.next(after != null && table.id.equals(after.stream()) ? after.sequence() + 1 : 0);
        while (next >= 0 && ids.size() < max) {
            ids.add(new EntryId(table.id, next));
            next = table.dead.next(next + 1);
        }
    }

    /** One answer in the making: two reads per dead letter, one after the other. */
    private final class Page {
        private final Object token;
        private final List<EntryId> ids;
        private final boolean more;
        private final List<OutboxEvent.DeadLetter> letters = new ArrayList<>();
        private int next;

        Page(Object token, List<EntryId> ids, boolean more) {
            this.token = token;
            this.ids = ids;
            this.more = more;
        }

        void readNext(Turn turn) {
            if (next == ids.size()) {
                turn.notify(new OutboxEvent.DeadLetters(token, letters, more));
                return;
            }
            EntryId id = ids.get(next++);
            byte[] key = OutboxKeys.deadLetter(id.stream(), id.sequence());
            byte[] end = OutboxKeys.deadLetter(id.stream(), id.sequence() + 1);
            turn.read(key, end, 1, 1 << 16, (records, cut, later) -> readPayload(id, records, later));
        }

        private void readPayload(EntryId id, List<EntryStore.Pair> records, Turn turn) {
            StreamTable table = context.ledger.find(id.stream());
            if (table == null || records.isEmpty() || !table.dead.contains(id.sequence())) {
                readNext(turn);
                return;
            }
            long first = table.groups.previous(id.sequence());
            turn.read(
                    OutboxKeys.group(table.id, first),
                    OutboxKeys.group(table.id, first + 1),
                    1,
                    1,
                    (groups, cut, later) -> {
                        if (!groups.isEmpty()) {
                            letters.add(letter(
                                    id, records.get(0).value(), groups.get(0).value()));
                        }
                        readNext(later);
                    });
        }

        private OutboxEvent.DeadLetter letter(EntryId id, Slice record, Slice group) {
            BinReader in = new BinReader(record);
            int attempts = (int) in.varint(Integer.MAX_VALUE, "attempts");
            long atMillis = in.varint();
            return new OutboxEvent.DeadLetter(
                    id, Group.decode(group).payload(id.sequence()), attempts, in.text(), atMillis);
        }
    }
}
