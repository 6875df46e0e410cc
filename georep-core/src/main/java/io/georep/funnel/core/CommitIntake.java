package io.georep.funnel.core;

import io.georep.funnel.core.FunnelMessages.Commit;
import io.georep.model.Slice;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import java.util.TreeMap;

/** Applies the commits of the tail on the other members, in the order of their numbers (rule W5). */
final class CommitIntake {
    /** Most messages that are kept while an earlier one is missing. */
    private static final int EARLY_MAX = 256;

    private final FunnelContext context;
    private final Commits commits;
    private final CatchingUp catchingUp;
    private final TreeMap<Long, Commit> early = new TreeMap<>();

    CommitIntake(FunnelContext context, Commits commits, CatchingUp catchingUp) {
        this.context = context;
        this.commits = commits;
        this.catchingUp = catchingUp;
    }

    void begin() {
        early.clear();
    }

    void commit(Commit commit, Slice message, Turn turn) {
        if (!context.isServing() || context.isTail()) {
            return;
        }
        context.isOpen = true;
        if (commit.passedOn()) {
            Peer previous = Tail.previous(context);
            if (previous != null) {
                turn.send(previous, FunnelMessages.COMMIT, message, true);
            }
        }
        if (commit.first() > context.applied.commit() + 1) {
            if (early.size() < EARLY_MAX) {
                early.put(commit.first(), commit);
            }
            catchUp(turn);
            return;
        }
        if (apply(commit, turn)) {
            drain(turn);
        }
    }

    private void catchUp(Turn turn) {
        Peer tail = context.tail();
        if (tail != null) {
            catchingUp.ask(tail, turn);
        }
    }

    /** Goes on with what was kept, after the commits before were caught up with. */
    void drain(Turn turn) {
        while (!early.isEmpty() && early.firstKey() <= context.applied.commit() + 1) {
            if (!apply(early.pollFirstEntry().getValue(), turn)) {
                return;
            }
        }
    }

    private boolean apply(Commit commit, Turn turn) {
        long number = commit.first();
        for (Runs.Run run : commit.runs()) {
            for (long index = run.from(); index < run.from() + run.length(); index++) {
                if (number > context.applied.commit()) {
                    Write write = context.writes.find(run.code(), index);
                    if (write == null) {
                        // It was settled by a transfer that has not come to its end.
                        early.put(commit.first(), commit);
                        catchUp(turn);
                        return false;
                    }
                    commits.apply(write, turn);
                }
                number++;
            }
        }
        context.forgetRemovals(commit.stable(), turn);
        return true;
    }
}
