package io.georep.outbox;

import io.georep.model.NodeId;
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

    /** Everybody a copy was sent to: who has to hear of a withdrawal. */
    final TreeSet<NodeId> contacted;

    Custody custody;

    /** Owners whose acknowledgement of the present epoch is missing. */
    final TreeSet<NodeId> waiting;

    /** Number of local writes that must become durable before success. */
    int writesOpen;

    /** Parts split off later wait for the same write: they look at the whole they came from. */
    private final PendingGroup whole;

    boolean done;

    PendingGroup(StreamTable table, Group group, List<OutboxCommand.Put> puts, long createdNanos) {
        this.table = table;
        this.group = group;
        this.first = group.first;
        this.to = group.to();
        this.puts = puts;
        this.createdNanos = createdNanos;
        this.custody = group.custody;
        this.waiting =
                new TreeSet<>(custody.owners().subList(1, custody.owners().size()));
        this.contacted = new TreeSet<>(waiting);
        this.whole = this;
    }

    private PendingGroup(PendingGroup from, long first, long to) {
        this.table = from.table;
        this.group = from.group;
        this.first = first;
        this.to = to;
        this.puts = from.puts.subList((int) (first - from.first), (int) (to - from.first));
        this.createdNanos = from.createdNanos;
        this.custody = from.custody;
        this.waiting = new TreeSet<>(from.waiting);
        this.contacted = new TreeSet<>(from.contacted);
        this.whole = from.whole;
    }

    /** Part [from, to) as a pending group of its own. */
    PendingGroup part(long from, long end) {
        return new PendingGroup(this, from, end);
    }

    /** Remembers a local write that success must wait for. */
    void writeBegun() {
        whole.writesOpen++;
    }

    /** A local write became durable. */
    void writeDone() {
        whole.writesOpen--;
    }

    RangeList range() {
        return RangeList.of(first, to);
    }

    boolean isComplete() {
        return !done && whole.writesOpen == 0 && waiting.isEmpty();
    }

    long payloadBytes() {
        long bytes = 0;
        for (OutboxCommand.Put put : puts) {
            bytes += put.payload().length();
        }
        return bytes;
    }
}
