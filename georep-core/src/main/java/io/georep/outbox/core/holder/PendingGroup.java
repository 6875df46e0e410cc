package io.georep.outbox.core.holder;

import io.georep.model.NodeId;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.Group;
import io.georep.outbox.core.stream.StreamTable;
import java.util.List;
import java.util.TreeSet;

/** Own puts of one group that wait for their copies (state Received). */
final class PendingGroup {
    final StreamTable table;
    final Group group;
    final long first;
    final long to;
    final List<OutboxCommand.Put> puts;
    final long createdNanos;
    final long payloadBytes;

    /** All nodes that a copy was sent to: they must hear of a withdrawal. */
    final TreeSet<NodeId> contacted;

    Custody custody;

    /** Owners whose acknowledgement of the present epoch is missing. */
    final TreeSet<NodeId> waiting;

    /** Local writes that must become durable before success: parts split off later wait for the same ones. */
    private final Writes writes;

    boolean done;

    private static final class Writes {
        int open;
    }

    PendingGroup(StreamTable table, Group group, List<OutboxCommand.Put> puts, long createdNanos) {
        this.table = table;
        this.group = group;
        this.first = group.first;
        this.to = group.to();
        this.puts = puts;
        this.createdNanos = createdNanos;
        this.payloadBytes = bytesOf(puts);
        this.custody = group.custody;
        this.waiting =
                new TreeSet<>(custody.owners().subList(1, custody.owners().size()));
        this.contacted = new TreeSet<>(waiting);
        this.writes = new Writes();
    }

    private PendingGroup(PendingGroup from, long first, long to) {
        this.table = from.table;
        // Copies, so that a part that waits keeps nothing of its neighbours in memory.
        this.group = from.group.part(first, to, from.group.custody);
        this.first = first;
        this.to = to;
        this.puts = List.copyOf(from.puts.subList((int) (first - from.first), (int) (to - from.first)));
        this.createdNanos = from.createdNanos;
        this.payloadBytes = bytesOf(puts);
        this.custody = from.custody;
        this.waiting = new TreeSet<>(from.waiting);
        this.contacted = new TreeSet<>(from.contacted);
        this.writes = from.writes;
    }

    /** Splits off the part [from, to) as a pending group of its own. */
    PendingGroup part(long from, long end) {
        return new PendingGroup(this, from, end);
    }

    /** Remembers a local write that success must wait for. */
    void writeBegun() {
        writes.open++;
    }

    /** A local write became durable. */
    void writeDone() {
        writes.open--;
    }

    RangeList range() {
        return RangeList.of(first, to);
    }

    boolean isComplete() {
        return !done && writes.open == 0 && waiting.isEmpty();
    }

    private static long bytesOf(List<OutboxCommand.Put> puts) {
        long bytes = 0;
        for (OutboxCommand.Put put : puts) {
            bytes += put.payload().length();
        }
        return bytes;
    }
}
