package io.georep.outbox.core.holder;

import io.georep.model.EntryId;
import io.georep.model.Slice;
import io.georep.outbox.core.context.OutboxContext;
import io.georep.outbox.core.ledger.OutboxKeys;
import io.georep.outbox.core.sets.SequenceView;
import io.georep.outbox.core.stream.Custodies;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.Group;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.Turn;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One page of some entries of a queue, for operators: which ones is known from memory, their payloads are read from the
 * store, a group at a time. Entries that end meanwhile are left out.
 */
final class EntryPage {
    /** Most entries in one page. */
    private static final int ENTRIES_MAX = 1000;

    /** A page ends with the entry that reaches this size: the payloads are in memory together. */
    static final int BYTES_MAX = 4 << 20;

    /** An entry with what this node knew of it when its payload had been read. */
    record Found(EntryId id, Slice payload, Custody custody) {}

    /** Takes the page. */
    interface Reader {
        /**
         * The entries were read.
         *
         * @param more whether the queue has further ones behind this page
         */
        void page(List<Found> found, boolean more, Turn turn);
    }

    private final OutboxContext context;
    private final Function<StreamTable, SequenceView> selection;
    private final Reader reader;
    private final List<EntryId> ids = new ArrayList<>();
    private final List<Found> found = new ArrayList<>();
    private boolean more;
    private int next;
    private long bytes;

    private EntryPage(OutboxContext context, Function<StreamTable, SequenceView> selection, Reader reader) {
        this.context = context;
        this.selection = selection;
        this.reader = reader;
    }

    /**
     * Reads a page.
     *
     * @param after the last entry of the page before, null for the first page
     * @param max most entries; at most 1000 are given, and fewer when they are large
     * @param selection which entries of a stream
     */
    static void read(
            OutboxContext context,
            String queue,
            @Nullable EntryId after,
            int max,
            Function<StreamTable, SequenceView> selection,
            Reader reader,
            Turn turn) {
        EntryPage page = new EntryPage(context, selection, reader);
        page.select(queue, after, Math.min(max, ENTRIES_MAX));
        page.readNext(turn);
    }

    private void select(String queue, @Nullable EntryId after, int max) {
        for (StreamTable table : context.ledger.tables()) {
            boolean behind = after == null || table.id.compareTo(after.stream()) >= 0;
            if (table.queue.equals(queue) && behind) {
                SequenceView selected = selection.apply(table);
                long start = after != null && table.id.equals(after.stream()) ? after.sequence() + 1 : 0;
                long sequence = selected.next(start);
                while (sequence >= 0 && ids.size() <= max) {
                    ids.add(new EntryId(table.id, sequence));
                    sequence = selected.next(sequence + 1);
                }
            }
        }
        more = ids.size() > max;
        if (more) {
            ids.remove(max);
        }
    }

    private void readNext(Turn turn) {
        while (next < ids.size() && bytes < BYTES_MAX) {
            EntryId id = ids.get(next);
            StreamTable table = context.ledger.find(id.stream());
            long first = table == null ? -1 : table.groups.previous(id.sequence());
            if (table != null && first >= 0) {
                turn.read(
                        OutboxKeys.group(table.id, first),
                        OutboxKeys.group(table.id, first + 1),
                        1,
                        1,
                        (groups, cut, later) -> {
                            take(
                                    table,
                                    groups.isEmpty()
                                            ? null
                                            : Group.decode(groups.get(0).value()));
                            readNext(later);
                        });
                return;
            }
            next++;
        }
        reader.page(found, more || next < ids.size(), turn);
    }

    /** Takes the next entry from its group, and those behind it that are in the same one. */
    private void take(StreamTable table, @Nullable Group group) {
        SequenceView selected = selection.apply(table);
        do {
            EntryId id = ids.get(next++);
            Custodies.Part part = table.partOf(id.sequence());
            if (group != null && part != null && selected.contains(id.sequence())) {
                Slice payload = Slice.of(group.payload(id.sequence()).toArray()); // without the rest of its group
                bytes += payload.length();
                found.add(new Found(id, payload, part.custody()));
            }
        } while (group != null && bytes < BYTES_MAX && next < ids.size() && isIn(group, table, ids.get(next)));
    }

    private static boolean isIn(Group group, StreamTable table, EntryId id) {
        return id.stream().equals(table.id) && table.groups.previous(id.sequence()) == group.first;
    }
}
