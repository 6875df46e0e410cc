package io.georep.keys.core;

import io.georep.keys.KeySpace;
import io.georep.protocol.Turn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/** Answers reads from memory, but only when what they saw is durable. */
final class KeyReads {
    private static final int PAGE_BYTES = 1 << 20;

    /** How many marks of deletions a scan passes over; a turn must not take longer because much was deleted. */
    static final int MARKS_MAX = 10_000;

    private final KeyContext context;

    /** Whether this turn may have written something. Its batch does not count as backlog yet. */
    private boolean hasWritten;

    KeyReads(KeyContext context) {
        this.context = context;
    }

    void written() {
        hasWritten = true;
    }

    void endOfTurn() {
        hasWritten = false;
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
        answer(new KeyEvent.Value(get.token(), value == null ? null : value.clone()), turn);
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
        answer(new KeyEvent.Page(scan.token(), new KeySpace.Page(page.entries, page.next)), turn);
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

    private void answer(KeyEvent event, Turn turn) {
        if (hasWritten || turn.storeBacklog() > 0) {
            turn.notifyWhenWritten(event);
        } else {
            turn.notify(event);
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
