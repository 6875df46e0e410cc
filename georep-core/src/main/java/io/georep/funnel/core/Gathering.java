package io.georep.funnel.core;

import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.funnel.core.messages.FunnelMessages.Holding;
import io.georep.funnel.core.messages.Version;
import io.georep.funnel.core.messages.WriteId;
import io.georep.model.Slice;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How the tail of a new view finds out its initial content (section 7). It waits for the FLUSH of every member; gets what was
 * committed from the member that has applied most; and gets all writes that any member holds and that are not committed.
 */
final class Gathering {
    private final FunnelContext context;
    private final CatchingUp catchingUp;
    private final Repair repair;
    private final TreeMap<Integer, Holding> flushed = new TreeMap<>();

    /** Writes that were asked for and turned out to be committed. */
    private final Set<WriteId> settled = new LinkedHashSet<>();

    private final Map<WriteId, Integer> missing = new LinkedHashMap<>();

    /** Members of whose single commits all are here. */
    private final Set<Integer> joined = new HashSet<>();

    /** The rank of the member that is asked for them; -1 if none is. */
    private int asked = -1;

    /** The initial content of the view, once it is known. */
    private @Nullable Holding start;

    Gathering(FunnelContext context, CatchingUp catchingUp, Repair repair) {
        this.context = context;
        this.catchingUp = catchingUp;
        this.repair = repair;
    }

    void begin() {
        flushed.clear();
        settled.clear();
        missing.clear();
        joined.clear();
        asked = -1;
        start = null;
    }

    /** A member tells what it holds, perhaps again. Returns the initial content of the view when that was found now. */
    @Nullable
    Holding flushed(int rank, Holding holding, Turn turn) {
        Holding known = start;
        if (known != null) {
            tell(rank, known, turn);
            return null;
        }
        flushed.put(rank, holding);
        return proceed(turn);
    }

    /** Goes on after something has come. */
    @Nullable
    Holding proceed(Turn turn) {
        if (start != null || flushed.size() < context.size() || context.standing.phase() != Standing.Phase.FLUSHING) {
            return null;
        }
        for (Map.Entry<Integer, Holding> each : flushed.entrySet()) {
            if (context.progress.applied().isBefore(each.getValue().version())) {
                askForCommits(turn);
                return null;
            }
        }
        if (asksForSingleCommits(turn)) {
            return null;
        }
        missing.clear();
        Holding own = flushed.get(context.standing.rank());
        for (WriteId id : own == null ? List.<WriteId>of() : counted(own)) {
            if (context.writes.find(id) == null) {
                settled.add(id); // by what this node caught up with
            }
        }
        Set<WriteId> held = new LinkedHashSet<>();
        for (Map.Entry<Integer, Holding> each : flushed.entrySet()) {
            for (WriteId id : counted(each.getValue())) {
                held.add(id);
                if (context.writes.find(id) == null && !settled.contains(id)) {
                    missing.putIfAbsent(id, each.getKey());
                }
            }
        }
        if (!missing.isEmpty()) {
            askForWrites(turn);
            return null;
        }
        List<Write> found = new ArrayList<>();
        for (Write write : context.writes.all()) {
            if (held.contains(write.id()) && !context.writes.isSettled(write)) {
                found.add(write);
            }
        }
        List<WriteId> ids = found.stream().map(Write::id).toList();
        Holding result = new Holding(context.progress.applied(), context.clock(), ids, context.newest());
        start = result;
        for (int rank = 0; rank < context.size(); rank++) {
            tell(rank, result, turn);
        }
        return result;
    }

    /** A store that is older than forgotten removals may hold writes as uncommitted that were committed and removed long ago. */
    private List<WriteId> counted(Holding holding) {
        return holding.version().isBefore(context.progress.horizon()) ? List.of() : holding.ids();
    }

    /**
     * A member in which a transfer was cut off has single commits that the others may lack. These commits count all the
     * same. What else was committed of their keys, members hold as writes.
     */
    private boolean asksForSingleCommits(Turn turn) {
        for (Map.Entry<Integer, Holding> each : flushed.entrySet()) {
            int rank = each.getKey();
            if (rank == asked && !catchingUp.isUnderWay()) {
                joined.add(rank);
            }
            boolean hasMore = rank != context.standing.rank()
                    && context.progress.applied().isBefore(each.getValue().newest());
            if (hasMore && !joined.contains(rank)) {
                Peer peer = context.member(rank);
                if (peer != null) {
                    asked = rank;
                    catchingUp.ask(peer, turn);
                }
                return true;
            }
        }
        return false;
    }

    private void askForCommits(Turn turn) {
        int best = -1;
        Version most = context.progress.applied();
        for (Map.Entry<Integer, Holding> each : flushed.entrySet()) {
            if (most.isBefore(each.getValue().version())) {
                best = each.getKey();
                most = each.getValue().version();
            }
        }
        Peer peer = context.member(best);
        if (peer != null) {
            catchingUp.ask(peer, turn);
        }
    }

    private void askForWrites(Turn turn) {
        Map<Integer, List<WriteId>> byHolder = new TreeMap<>();
        missing.forEach((id, rank) ->
                byHolder.computeIfAbsent(rank, none -> new ArrayList<>()).add(id));
        byHolder.forEach((rank, ids) -> {
            Peer peer = context.member(rank);
            if (peer != null) {
                repair.fetch(peer, ids, turn);
            }
        });
    }

    private void tell(int rank, Holding what, Turn turn) {
        Peer peer = context.member(rank);
        if (peer != null) {
            FunnelMessages.holding(context.message(), what);
            Slice body = context.scratch.toSlice();
            turn.send(peer, FunnelMessages.VIEW_START, body, true);
        }
    }

    /** A link came back: the member may have missed the start. */
    void peerReachable(int rank, Turn turn) {
        Holding known = start;
        if (known != null) {
            tell(rank, known, turn);
        }
    }

    /** Takes writes that were asked for; returns as {@link #proceed}. */
    @Nullable
    Holding writes(List<Write> writes, Turn turn) {
        for (Write write : writes) {
            if (missing.containsKey(write.id()) && context.writes.isSettled(write)) {
                settled.add(write.id());
                missing.remove(write.id());
            }
        }
        context.writes.takeOld(writes, missing.keySet(), turn);
        writes.forEach(write -> missing.remove(write.id()));
        return missing.isEmpty() ? proceed(turn) : null;
    }
}
