package io.georep.outbox.core.holder;

import io.georep.model.ConfigurationException;
import io.georep.model.EntryState;
import io.georep.model.GeoRepException;
import io.georep.model.NodeId;
import io.georep.model.RejectedException;
import io.georep.model.RejectedException.Reason;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.core.context.OutboxContext;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.Group;
import io.georep.outbox.core.stream.QueueNames;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.Turn;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Taking entries in (rules o1, o2, 6.3(1), 6.4): checks, gathers puts of one queue and f, and forms groups.
 *
 * <p>Self-clocking: a group leaves at once when its peers owe no acknowledgement and the store is idle; otherwise puts
 * gather until one of these changes, the group is full, or {@link #LINGER_NANOS} have passed. So a single put does not wait,
 * and a busy node sends few and large groups.
 */
public final class PutBatcher {
    /** Most entries in one group. */
    private static final int GROUP_ENTRIES_MAX = 8192;

    /** The longest time puts are gathered while earlier ones wait for their answers. */
    public static final long LINGER_NANOS = 1_000_000;

    private record Lane(String queue, int f, boolean prepared) {}

    /** Puts of one lane on their way into a group. */
    private static final class Gathering {
        final Lane lane;
        List<OutboxCommand.Put> puts = new ArrayList<>();
        long bytes;
        long sinceNanos;
        List<NodeId> chosen = List.of();

        Gathering(Lane lane) {
            this.lane = lane;
        }

        boolean takes(OutboxCommand.Put put) {
            return lane.f == put.f() && lane.prepared == put.prepared() && lane.queue.equals(put.queue());
        }
    }

    private final OutboxContext context;
    private final PendingPuts pendingPuts;
    private final Map<Lane, Gathering> gatherings = new LinkedHashMap<>();

    /** Lanes of the queues, numbered in the order of first use; a lane is never given to another queue. */
    private final Map<String, Integer> lanes = new HashMap<>();

    private long gatheredPuts;
    private long gatheredBytes;

    // Most puts look like the one before: these two spare them a look-up each.
    private @Nullable Gathering lastGathering;
    private @Nullable String lastQueue;

    public PutBatcher(OutboxContext context, PendingPuts pendingPuts) {
        this.context = context;
        this.pendingPuts = pendingPuts;
    }

    public void accept(List<OutboxCommand.Put> puts, Turn turn) {
        int f = 0;
        for (OutboxCommand.Put put : puts) {
            f = Math.max(f, Math.min(put.f(), Custody.OWNERS_MAX));
        }
        int selectable = context.candidates.count(f, turn.now());
        for (OutboxCommand.Put put : puts) {
            GeoRepException refusal = refusal(put, selectable);
            if (refusal != null) {
                context.counters.rejected++;
                turn.notify(new OutboxEvent.PutFailed(List.of(put), refusal));
            } else {
                gather(put, turn.now());
            }
        }
    }

    private void gather(OutboxCommand.Put put, long now) {
        Gathering gathering = lastGathering;
        if (gathering == null || !gathering.takes(put)) {
            gathering = gatherings.computeIfAbsent(new Lane(put.queue(), put.f(), put.prepared()), Gathering::new);
            lanes.putIfAbsent(put.queue(), lanes.size());
            lastGathering = gathering;
        }
        if (gathering.puts.isEmpty()) {
            gathering.sinceNanos = now;
        }
        gathering.puts.add(put);
        gathering.bytes += put.payload().length();
        gatheredPuts++;
        gatheredBytes += put.payload().length();
    }

    private @Nullable GeoRepException refusal(OutboxCommand.Put put, int selectable) {
        if (!put.queue().equals(lastQueue)) {
            if (!QueueNames.fits(put.queue())) {
                return new ConfigurationException("queue name '" + put.queue() + "' has "
                        + put.queue().getBytes(StandardCharsets.UTF_8).length + " bytes, allowed are 1 to "
                        + QueueNames.BYTES_MAX);
            }
            if (lanes.size() >= QueueNames.QUEUES_MAX && !lanes.containsKey(put.queue())) {
                return new ConfigurationException(
                        "queue '" + put.queue() + "' is one too many: a node sends to at most " + QueueNames.QUEUES_MAX
                                + " queues; put what tells them apart into a header or the payload");
            }
            lastQueue = put.queue();
        }
        if (put.f() < 0 || put.f() >= Custody.OWNERS_MAX) {
            return new ConfigurationException("f is " + put.f() + ", allowed are 0 to " + (Custody.OWNERS_MAX - 1));
        }
        if (put.payload().length() > context.config.payloadBytesMax()) {
            return rejected(
                    Reason.PAYLOAD_TOO_LARGE,
                    "the payload has " + put.payload().length() + " bytes, payloadBytesMax is "
                            + context.config.payloadBytesMax());
        }
        if (context.peers.leaving() || context.peers.selfDrained()) {
            return rejected(Reason.LEAVING, "node " + context.self() + " is leaving or drained: use another node");
        }
        if (!context.store.takesEntries()) {
            return storeRefuses();
        }
        if (gatheredPuts + pendingPuts.puts() >= context.config.pendingPutsMax()
                || gatheredBytes + pendingPuts.bytes() + put.payload().length() > context.config.pendingBytesMax()) {
            return rejected(
                    Reason.QUEUE_FULL,
                    (gatheredPuts + pendingPuts.puts()) + " puts with " + (gatheredBytes + pendingPuts.bytes())
                            + " bytes wait for copies: wait for earlier sends, or raise pendingPutsMax or"
                            + " pendingBytesMax");
        }
        return selectable < put.f() ? tooFewPeers(put.queue(), put.f(), selectable) : null;
    }

    private RejectedException storeRefuses() {
        String store = "the store of node " + context.self();
        return switch (context.store) {
            case FULL -> rejected(Reason.STORE_FULL, store + " has no space left: free space or use another node");
            case BEHIND ->
                rejected(
                        Reason.QUEUE_FULL,
                        store + " has " + context.config.storeBacklogBytesMax() + " bytes (storeBacklogBytesMax) to"
                                + " write: send slower, or use another node");
            case SLOW ->
                rejected(
                        Reason.STORE_STALLED,
                        store + " takes a quarter of " + context.config.putTimeout()
                                + " (putTimeout) or longer for each sync: use another node, and check the disk");
            default ->
                rejected(
                        Reason.STORE_STALLED,
                        store + " has answered nothing for " + context.config.storeStallAfter()
                                + " (storeStallAfter): use another node, and check the disk");
        };
    }

    private static RejectedException tooFewPeers(String queue, int f, int selectable) {
        return rejected(
                Reason.TOO_FEW_PEERS,
                "queue '" + queue + "': f is " + f + ", but only " + selectable
                        + " other nodes can take a copy now: try again, or at a node that reaches more");
    }

    private static RejectedException noTarget(String queue) {
        return rejected(
                Reason.TOO_FEW_PEERS,
                "this node hands over what is sent to queue '" + queue
                        + "', but none of the nodes that may take it can be reached: try again later");
    }

    private static RejectedException rejected(Reason reason, String message) {
        return new RejectedException(reason, message);
    }

    /** Forms the groups that are due. */
    public void endOfTurn(Turn turn) {
        for (Gathering gathering : gatherings.values()) {
            while (!gathering.puts.isEmpty() && isDue(gathering, turn)) {
                form(gathering, turn);
            }
        }
        gatherings.values().removeIf(gathering -> gathering.puts.isEmpty());
        lastGathering = null;
    }

    private boolean isDue(Gathering gathering, Turn turn) {
        int f = gathering.lane.f;
        if (gathering.chosen.size() != f || !context.candidates.areSelectable(gathering.chosen, turn.now())) {
            gathering.chosen = context.candidates.choose(
                    f, context.handOverTargets.of(gathering.lane.queue), List.of(), turn.now(), turn.random());
        }
        if (gathering.chosen.size() < f) {
            failAll(gathering, turn);
            return false;
        }
        return gathering.bytes >= context.config.groupBytesMax()
                || gathering.puts.size() >= GROUP_ENTRIES_MAX
                || turn.now() - gathering.sinceNanos >= LINGER_NANOS
                || (turn.storeBacklog() < 2 && !pendingPuts.awaitsAny(gathering.chosen));
    }

    private void failAll(Gathering gathering, Turn turn) {
        List<OutboxCommand.Put> puts = gathering.puts;
        context.counters.rejected += puts.size();
        boolean noTarget = gathering.chosen.isEmpty() && context.handOverTargets.of(gathering.lane.queue) != null;
        turn.notify(new OutboxEvent.PutFailed(
                puts,
                noTarget
                        ? noTarget(gathering.lane.queue)
                        : tooFewPeers(gathering.lane.queue, gathering.lane.f, gathering.chosen.size())));
        take(gathering, puts.size());
    }

    /** Removes the first puts from a gathering. */
    private List<OutboxCommand.Put> take(Gathering gathering, int count) {
        List<OutboxCommand.Put> taken = gathering.puts;
        gathering.puts = new ArrayList<>();
        if (count < taken.size()) {
            List<OutboxCommand.Put> rest = taken.subList(count, taken.size());
            gathering.puts.addAll(rest);
            rest.clear();
        }
        long bytes = 0;
        for (OutboxCommand.Put put : taken) {
            bytes += put.payload().length();
        }
        gathering.bytes -= bytes;
        gatheredPuts -= count;
        gatheredBytes -= bytes;
        return taken;
    }

    /** Rule o2: owners are chosen, the group is logged and sent in parallel. */
    private void form(Gathering gathering, Turn turn) {
        List<OutboxCommand.Put> puts = take(gathering, countThatFits(gathering.puts));
        List<NodeId> owners = new ArrayList<>(gathering.chosen);
        owners.add(0, context.self());
        gathering.chosen = List.of();
        gathering.sinceNanos = turn.now();
        StreamTable table = stream(gathering.lane.queue);
        List<Slice> payloads = new ArrayList<>(puts.size());
        for (OutboxCommand.Put put : puts) {
            payloads.add(put.payload());
        }
        Custody custody = Custody.fresh(EntryState.HELD, List.copyOf(owners));
        boolean prepared = gathering.lane.prepared;
        Group group = Group.encode(table.id, table.next(), table.queue, custody, prepared, payloads);
        context.counters.accepted += puts.size();
        context.ledger.stored(table, group, custody, turn);
        turn.store().requireDurable();
        pendingPuts.begin(new PendingGroup(table, group, puts, turn.now()), turn);
    }

    private int countThatFits(List<OutboxCommand.Put> puts) {
        long bytes = 0;
        int count = 0;
        Iterator<OutboxCommand.Put> next = puts.iterator();
        while (next.hasNext() && count < GROUP_ENTRIES_MAX) {
            bytes += next.next().payload().length();
            if (count > 0 && bytes > context.config.groupBytesMax()) {
                break;
            }
            count++;
        }
        return count;
    }

    /** Returns the stream of this boot for a queue. */
    private StreamTable stream(String queue) {
        int lane = Objects.requireNonNull(lanes.get(queue), queue);
        return context.ledger.open(new StreamId(context.self(), context.ledger.boot(), lane), queue);
    }

    /** Returns when a gathering is due at the latest. */
    public long nextDeadlineNanos() {
        long next = Long.MAX_VALUE;
        for (Gathering gathering : gatherings.values()) {
            next = Math.min(next, gathering.sinceNanos + LINGER_NANOS);
        }
        return next;
    }

    /** Puts not yet in a group. */
    public long waiting() {
        return gatheredPuts;
    }
}
