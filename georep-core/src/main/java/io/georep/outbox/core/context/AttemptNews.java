package io.georep.outbox.core.context;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.outbox.core.ledger.OutboxKeys;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.sets.OutboxBounds;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The message ATTEMPTS: gathers what one turn has to tell each peer about attempts, and reads from the store why the
 * application gave up on an entry, which is not kept in memory.
 *
 * <pre>
 * ATTEMPTS = stream, text queue, item+
 * item     = varint sequence, mark, [varint atMillis, text reason] for a dead letter
 * mark     = varint round, u8 dead, varint attempts
 * </pre>
 */
public final class AttemptNews {
    /** Most items in one message: with the longest reasons well below the size of a frame. */
    private static final int ITEMS_MAX = 32;

    private static final long PAGE_BYTES = 64 << 10;

    /** What is told about one entry; without a letter unless the mark says that it is dead. */
    public record Item(
            long sequence, AttemptMark mark, @Nullable Letter letter) {}

    private final OutboxContext context;
    private final Attempts attempts;
    private final TreeMap<NodeId, Map<StreamTable, SequenceSet>> due = new TreeMap<>();

    AttemptNews(OutboxContext context, Attempts attempts) {
        this.context = context;
        this.attempts = attempts;
    }

    void add(NodeId to, StreamTable table, long sequence) {
        due.computeIfAbsent(to, none -> new LinkedHashMap<>())
                .computeIfAbsent(table, none -> new SequenceSet())
                .add(sequence);
    }

    /** Tells peers with a link; the others are told when they are reachable. */
    void flush(Turn turn) {
        if (due.isEmpty()) {
            return;
        }
        due.forEach((to, tables) -> tables.forEach((table, members) -> tell(to, table, members, turn)));
        due.clear();
    }

    private void tell(NodeId to, StreamTable table, SequenceSet members, Turn turn) {
        List<Item> items = new ArrayList<>();
        SequenceSet dead = new SequenceSet();
        RangeList all = members.all();
        for (int i = 0; i < all.count(); i++) {
            for (long sequence = all.from(i); sequence < all.to(i); sequence++) {
                AttemptMark mark = attempts.mark(table, sequence);
                if (mark.dead()) {
                    dead.add(sequence);
                } else if (!mark.equals(AttemptMark.NONE)) {
                    items.add(new Item(sequence, mark, null));
                }
            }
        }
        send(to, table, items, turn);
        if (!dead.isEmpty()) {
            tellDead(to, table, dead, OutboxKeys.deadLetter(table.id, dead.first()), turn);
        }
    }

    private void tellDead(NodeId to, StreamTable table, SequenceSet dead, byte[] from, Turn turn) {
        byte[] end = OutboxKeys.deadLetter(table.id, dead.all().to(dead.all().count() - 1));
        turn.read(from, end, ITEMS_MAX, PAGE_BYTES, (records, more, later) -> {
            List<Item> items = new ArrayList<>();
            records.forEach(record -> {
                long sequence = OutboxKeys.lastNumber(record.key());
                AttemptMark mark = attempts.mark(table, sequence);
                if (dead.contains(sequence) && mark.dead()) {
                    items.add(new Item(sequence, mark, Letter.read(new BinReader(record.value()))));
                }
            });
            send(to, table, items, later);
            if (more && !records.isEmpty()) {
                tellDead(to, table, dead, records.get(records.size() - 1).keyAfter(), later);
            }
        });
    }

    private void send(NodeId to, StreamTable table, List<Item> items, Turn turn) {
        Peer peer = context.peers.find(to);
        if (peer == null || !peer.linked()) {
            return;
        }
        for (int next = 0; next < items.size(); next += ITEMS_MAX) {
            List<Item> page = items.subList(next, Math.min(items.size(), next + ITEMS_MAX));
            turn.sendWhenWritten(peer, OutboxMessages.ATTEMPTS, body(table, page), false);
        }
    }

    public static Slice body(StreamTable table, List<Item> items) {
        BinWriter out = new BinWriter().stream(table.id).text(table.queue);
        for (Item item : items) {
            out.varint(item.sequence);
            item.mark.write(out);
            if (item.letter != null) {
                item.letter.write(out);
            }
        }
        return out.toSlice();
    }

    /**
     * Reads the items of a message to its end.
     *
     * @throws MalformedException when there is none, there are too many, or a field is out of its bounds
     */
    public static List<Item> read(BinReader in) {
        List<Item> items = new ArrayList<>();
        do {
            long sequence = OutboxBounds.SEQUENCE.read(in);
            AttemptMark mark = AttemptMark.read(in);
            items.add(new Item(sequence, mark, mark.dead() ? Letter.read(in) : null));
        } while (in.hasMore() && items.size() < ITEMS_MAX);
        if (in.hasMore()) {
            throw new MalformedException("more than " + ITEMS_MAX + " items of attempts in one message");
        }
        return items;
    }

    /**
     * Why and when the application gave up.
     *
     * @param atMillis wall clock of the node that gave up
     * @param reason the last error, at most {@link #REASON_BYTES_MAX} bytes of UTF-8
     */
    public record Letter(int attempts, long atMillis, String reason) {
        static final int REASON_BYTES_MAX = 1024;

        /** Shortens the reason. */
        public Letter {
            reason = shortened(reason);
        }

        private static String shortened(String text) {
            String some = text.length() > REASON_BYTES_MAX ? text.substring(0, REASON_BYTES_MAX) : text;
            while (some.getBytes(StandardCharsets.UTF_8).length > REASON_BYTES_MAX) {
                some = some.substring(0, some.length() - 1 - some.length() / 8);
            }
            return some;
        }

        public void write(BinWriter out) {
            out.varint(attempts).varint(atMillis).text(reason);
        }

        /**
         * Reads what {@link #write} wrote.
         *
         * @throws MalformedException when a field is out of its bounds
         */
        public static Letter read(BinReader in) {
            int attempts = (int) in.varint(Integer.MAX_VALUE, "attempts");
            long atMillis = in.varint();
            return new Letter(attempts, atMillis, in.text());
        }
    }
}
