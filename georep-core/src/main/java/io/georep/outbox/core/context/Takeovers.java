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
        private long entries;
        private long left;
        private long seenNanos;

        Progress(long nowNanos) {
            beganNanos = nowNanos;
            seenNanos = nowNanos;
        }
    }

    private final OutboxContext context;
    private final Map<Key, Progress> latest = new LinkedHashMap<>();
    private boolean underWay;

    Takeovers(OutboxContext context) {
        this.context = context;
    }

    /** Begins with what an earlier boot left. */
    public void boot(long nowNanos) {
        left().forEach((key, entries) -> add(key, entries, nowNanos));
    }

    /** This node adopts entries. */
    public void adopted(StreamTable table, NodeId from, long entries, long nowNanos) {
        add(new Key(table.queue, from, true), entries, nowNanos);
    }

    /** Another node holds entries from now on. */
    public void passed(StreamTable table, NodeId to, long entries, long nowNanos) {
        if (isFromHere(table, to)) {
            add(new Key(table.queue, to, false), entries, nowNanos);
        }
    }

    /** Returns whether the entries were sent here, and another node holds them. */
    private boolean isFromHere(StreamTable table, NodeId holder) {
        return table.id.origin().equals(context.self()) && !holder.equals(context.self());
    }

    private void add(Key key, long entries, long nowNanos) {
        Progress before = latest.remove(key);
        Progress now = before == null || before.left == 0 ? new Progress(nowNanos) : before;
        now.entries += entries;
        now.left += entries;
        latest.put(key, now);
        underWay = true;
        if (latest.size() > KEPT_MAX) {
            latest.remove(latest.keySet().iterator().next());
        }
    }

    /** Called about once a heartbeat: looks what is left. */
    public void tick(long nowNanos) {
        if (!underWay) {
            return;
        }
        underWay = false;
        Map<Key, Long> left = left();
        latest.forEach((key, progress) -> {
            if (progress.left > 0) {
                progress.left = Math.min(progress.entries, left.getOrDefault(key, 0L));
                progress.seenNanos = nowNanos;
                underWay |= progress.left > 0;
            }
        });
    }

    private Map<Key, Long> left() {
        Map<Key, Long> left = new LinkedHashMap<>();
        for (StreamTable table : context.ledger.tables()) {
            for (Custodies.Part part : table.parts()) {
                Custody custody = part.custody();
                NodeId from = custody.adoptedFrom();
                if (custody.state() == EntryState.HELD && from != null) {
                    SequenceView members = part.members();
                    long dead = table.dead.isEmpty()
                            ? 0
                            : table.dead.within(members.all()).total();
                    left.merge(new Key(table.queue, from, true), members.size() - dead, Long::sum);
                } else if (custody.state() == EntryState.COPY && isFromHere(table, custody.first())) {
                    left.merge(
                            new Key(table.queue, custody.first(), false),
                            part.members().size(),
                            Long::sum);
                }
            }
        }
        left.values().removeIf(entries -> entries == 0);
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
                Duration.ofNanos((progress.left > 0 ? nowNanos : progress.seenNanos) - progress.beganNanos))));
        return all;
    }
}
