package io.georep.outbox.core.context;

import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.outbox.Takeover;
import io.georep.outbox.core.sets.SequenceView;
import io.georep.outbox.core.stream.Custodies;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.StreamTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What this node took over from others, and what others took over of the entries that were sent here, for people who watch it.
 * No rule of the protocol depends on it.
 */
public final class Takeovers {
    /** The latest of them are told. Queues and nodes may be many. */
    static final int KEPT_MAX = 1000;

    private record Key(String queue, NodeId other, boolean incoming) {}

    private static final class Progress {
        private final long beganNanos;
        private long changedNanos;
        private long entries;
        private long left;

        Progress(long nowNanos) {
            beganNanos = nowNanos;
            changedNanos = nowNanos;
        }

        void over(long some, long nowNanos) {
            left = Math.max(0, Math.min(entries, left - some));
            changedNanos = nowNanos;
        }
    }

    private final OutboxContext context;
    private final Map<Key, Progress> latest = new LinkedHashMap<>();

    /** What is left in each stream that has something: a heartbeat looks at no stream in which nothing happens. */
    private final Map<StreamTable, Map<Key, Long>> leftIn = new LinkedHashMap<>();

    Takeovers(OutboxContext context) {
        this.context = context;
    }

    /** Begins with what an earlier boot left. */
    public void boot(long nowNanos) {
        for (StreamTable table : context.ledger.tables()) {
            left(table).forEach((key, entries) -> add(table, key, entries, nowNanos));
        }
    }

    /** This node adopts entries. */
    public void adopted(StreamTable table, NodeId from, long entries, long nowNanos) {
        add(table, new Key(table.queue, from, true), entries, nowNanos);
    }

    /** Another node holds entries from now on. */
    public void passed(StreamTable table, NodeId to, long entries, long nowNanos) {
        if (entries > 0 && isFromHere(table, to)) {
            add(table, new Key(table.queue, to, false), entries, nowNanos);
        }
    }

    /** Returns whether the entries were sent here, and another node holds them. */
    private boolean isFromHere(StreamTable table, NodeId holder) {
        return table.id.origin().equals(context.self()) && !holder.equals(context.self());
    }

    private void add(StreamTable table, Key key, long entries, long nowNanos) {
        Progress before = latest.remove(key);
        Progress now = before == null || before.left == 0 ? new Progress(nowNanos) : before;
        now.entries += entries;
        now.left += entries;
        latest.put(key, now);
        leftIn.merge(table, Map.of(key, entries), Takeovers::sum);
        if (latest.size() > KEPT_MAX) {
            latest.remove(latest.keySet().iterator().next());
        }
    }

    private static Map<Key, Long> sum(Map<Key, Long> some, Map<Key, Long> more) {
        if (some.isEmpty()) {
            return more;
        }
        Map<Key, Long> sum = new LinkedHashMap<>(some);
        more.forEach((key, entries) -> sum.merge(key, entries, Long::sum));
        return sum;
    }

    /** Called about once a heartbeat: looks what is left in the streams that have changed. */
    public void tick(List<StreamTable> changed, long nowNanos) {
        for (StreamTable table : changed) {
            Map<Key, Long> after = left(table);
            Map<Key, Long> before = after.isEmpty() ? leftIn.remove(table) : leftIn.put(table, after);
            if (!after.equals(before)) {
                Map<Key, Long> over = new LinkedHashMap<>(before == null ? Map.of() : before);
                after.forEach((key, entries) -> over.merge(key, -entries, Long::sum));
                over.forEach((key, entries) -> over(key, entries, nowNanos));
            }
        }
    }

    private void over(Key key, long entries, long nowNanos) {
        Progress progress = latest.get(key);
        if (progress != null && entries != 0) {
            progress.over(entries, nowNanos);
        }
    }

    private Map<Key, Long> left(StreamTable table) {
        Map<Key, Long> left = Map.of();
        for (Custodies.Part part : table.parts()) {
            Custody custody = part.custody();
            NodeId from = custody.adoptedFrom();
            if (custody.state() == EntryState.HELD && from != null) {
                SequenceView members = part.members();
                long alive = members.size()
                        - (table.dead.isEmpty()
                                ? 0
                                : table.dead.within(members.all()).total());
                if (alive > 0) {
                    left = sum(left, Map.of(new Key(table.queue, from, true), alive));
                }
            } else if (custody.state() != EntryState.HELD && isFromHere(table, custody.first())) {
                // It is told the end of what was sent here, also of what it keeps no copy of any more.
                Key key = new Key(table.queue, custody.first(), false);
                left = sum(left, Map.of(key, part.members().size()));
            }
        }
        return left;
    }

    /** Returns the latest of them, the last one last. */
    public List<Takeover> all(long nowNanos) {
        List<Takeover> all = new ArrayList<>(latest.size());
        latest.forEach((key, progress) -> all.add(new Takeover(
                key.queue,
                key.incoming ? key.other : context.self(),
                key.incoming ? context.self() : key.other,
                progress.entries,
                progress.left,
                Duration.ofNanos(nowNanos - progress.beganNanos),
                Duration.ofNanos((progress.left > 0 ? nowNanos : progress.changedNanos) - progress.beganNanos))));
        return all;
    }
}
