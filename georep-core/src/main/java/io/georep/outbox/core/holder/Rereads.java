package io.georep.outbox.core.holder;

import io.georep.model.EntryId;
import io.georep.outbox.core.context.OutboxContext;
import io.georep.outbox.core.ledger.OutboxKeys;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.stream.Group;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.Turn;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;

/**
 * Reads entries again that the application has: retries whose payloads were dropped. One read serves all entries of a
 * group, and what is handed out shares no bytes with the rest of it. A few groups of one command are read at a time. One
 * after the other, each would wait for a sync of its own; all together might not fit into memory.
 */
public final class Rereads {
    /** The bound of one read: so small that exactly one group is read, however large it is. */
    private static final long READ_BYTES = 1;

    private static final int AT_ONCE = 8;

    /** Entries of one group. */
    private record Part(StreamTable table, long first, SequenceSet entries) {}

    private final OutboxContext context;
    private final Deliveries deliveries;

    public Rereads(OutboxContext context, Deliveries deliveries) {
        this.context = context;
        this.deliveries = deliveries;
    }

    public void read(List<EntryId> ids, Turn turn) {
        Map<StreamTable, TreeMap<Long, Part>> byGroup = new LinkedHashMap<>();
        for (EntryId id : ids) {
            StreamTable table = context.ledger.find(id.stream());
            if (table != null && table.taken.contains(id.sequence())) {
                byGroup.computeIfAbsent(table, none -> new TreeMap<>())
                        .computeIfAbsent(
                                table.groups.previous(id.sequence()),
                                first -> new Part(table, first, new SequenceSet()))
                        .entries
                        .add(id.sequence());
            }
        }
        Queue<Part> parts = new ArrayDeque<>();
        byGroup.values().forEach(ofStream -> parts.addAll(ofStream.values()));
        for (int i = 0; i < AT_ONCE; i++) {
            readNext(parts, turn);
        }
    }

    private void readNext(Queue<Part> parts, Turn turn) {
        Part part = parts.poll();
        if (part != null) {
            turn.read(
                    OutboxKeys.group(part.table.id, part.first),
                    OutboxKeys.group(part.table.id, part.first + 1),
                    1,
                    READ_BYTES,
                    (pairs, more, later) -> {
                        pairs.forEach(pair -> handOut(part, Group.decode(pair.value()), later));
                        readNext(parts, later);
                    });
        }
    }

    /** Hands out the entries that the application still has. */
    private void handOut(Part part, Group group, Turn turn) {
        List<OutboxEvent.Delivered> batch = new ArrayList<>();
        RangeList open = part.table.taken.within(part.entries.all());
        for (int i = 0; i < open.count(); i++) {
            deliveries.deliver(part.table, group, open.from(i), open.to(i), batch);
        }
        if (!batch.isEmpty()) {
            batch.replaceAll(OutboxEvent.Delivered::alone);
            turn.notify(new OutboxEvent.Deliver(part.table.queue, batch));
        }
    }
}
