package io.georep.keys.core;

import io.georep.keys.KeySpace;
import io.georep.model.RejectedException;
import io.georep.protocol.Turn;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/** Answers reads from memory, as soon as what they have seen is durable. */
final class KeyReads {
    private static final int PAGE_BYTES = 1 << 20;

    /** How many marks of deletions a scan passes over. A turn must not take longer because much was deleted. */
    static final int MARKS_MAX = 10_000;

    private final KeyContext context;

    /** Answers that wait until what they saw is durable, in the order in which it becomes so. */
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

    private static final class Waiting {
        final Object token;
        final long deadline;
        boolean isGivenUp;

        Waiting(Object token, long deadline) {
            this.token = token;
            this.deadline = deadline;
        }
    }

    KeyReads(KeyContext context) {
        this.context = context;
    }

    void get(KeyCommand.Get get, Turn turn) {
        byte[] value;
        if (get.space().replicated()) {
            StoredKey record = context.table.find(get.space().name(), get.key());
            value = record == null ? null : record.value;
        } else {
            NavigableMap<byte[], byte[]> content =
                    context.local.space(get.space().name());
            value = content == null ? null : content.get(get.key());
        }
        answer(get.token(), new KeyEvent.Value(get.token(), value == null ? null : value.clone()), turn);
    }

    void scan(KeyCommand.Scan scan, Turn turn) {
        Page page = new Page(Math.min(scan.max(), KeySpace.PAGE_RECORDS_MAX));
        String name = scan.space().name();
        if (scan.space().replicated()) {
            NavigableMap<byte[], StoredKey> content = context.table.space(name);
            for (Map.Entry<byte[], StoredKey> entry : range(content, scan).entrySet()) {
                if (!page.takes(entry.getKey(), entry.getValue().value)) {
                    break;
                }
            }
        } else {
            for (Map.Entry<byte[], byte[]> entry :
                    range(context.local.space(name), scan).entrySet()) {
                if (!page.takes(entry.getKey(), entry.getValue())) {
                    break;
                }
            }
        }
        answer(scan.token(), new KeyEvent.Page(scan.token(), new KeySpace.Page(page.entries, page.next)), turn);
    }

    private static <V> NavigableMap<byte[], V> range(@Nullable NavigableMap<byte[], V> content, KeyCommand.Scan scan) {
        if (content == null) {
            return Collections.emptyNavigableMap();
        }
        byte[] to = scan.to();
        if (to == null) {
            return content.tailMap(scan.from(), true);
        }
        boolean isEmpty = Arrays.compareUnsigned(scan.from(), to) >= 0;
        return content.subMap(scan.from(), true, isEmpty ? scan.from() : to, false);
    }

    private void answer(Object token, KeyEvent event, Turn turn) {
        // What was written in this turn is not counted as backlog yet.
        if (!turn.store().isEmpty() || turn.storeBacklog() > 0) {
            Waiting read = new Waiting(
                    token, turn.now() + context.settings.writeTimeout().toNanos());
            waiting.add(read);
            turn.whenWritten(later -> {
                if (!read.isGivenUp) {
                    waiting.remove(); // batches are written in their order
                    later.notify(event);
                }
            });
        } else {
            turn.notify(event);
        }
    }

    boolean isIdle() {
        return waiting.isEmpty();
    }

    /** Gives up reads for which the disk took too long. */
    void tick(Turn turn) {
        List<Object> tokens = new ArrayList<>();
        while (!waiting.isEmpty() && turn.now() >= waiting.element().deadline) {
            Waiting read = waiting.remove();
            read.isGivenUp = true;
            tokens.add(read.token);
        }
        if (!tokens.isEmpty()) {
            turn.notify(new KeyEvent.Failed(
                    tokens,
                    new RejectedException(
                            context.storeReason(),
                            "what was read is not durable on node " + context.self()
                                    + ", whose store has taken nothing for " + context.settings.writeTimeout()
                                    + ": read again, or on another node")));
        }
    }

    /** Collects records up to the limits, but at least one, unless there are very many marks of deletions before it. */
    private static final class Page {
        final int max;
        final List<KeySpace.Entry> entries = new ArrayList<>();
        byte @Nullable [] next;
        int bytes;
        int marks;

        Page(int max) {
            this.max = max;
        }

        /** Adds a record unless it is only a mark; returns false if it belongs to the next page. */
        boolean takes(byte[] key, byte @Nullable [] value) {
            if (value == null && ++marks < MARKS_MAX) {
                return true;
            }
            bytes += key.length + (value == null ? 0 : value.length);
            if (value == null || (!entries.isEmpty() && (entries.size() >= max || bytes > PAGE_BYTES))) {
                next = key.clone();
                return false;
            }
            entries.add(new KeySpace.Entry(key.clone(), value.clone()));
            return true;
        }
    }
}
