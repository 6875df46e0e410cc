package io.georep.funnel.core;

import io.georep.funnel.core.messages.FunnelMessages.Commit;
import io.georep.funnel.core.messages.Runs;
import io.georep.funnel.core.messages.Version;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Applies the commits of the tail on the other members, in the order of their numbers (rule W5). */
final class CommitIntake {
    /** Most messages that are kept while an earlier one is missing. */
    private static final int EARLY_MAX = 256;

    private final FunnelContext context;
    private final Commits commits;
    private final CatchingUp catchingUp;
    private final StateTransfers transfers;
    private final TreeMap<Long, Commit> early = new TreeMap<>();

    /** What was applied when a kept commit last named a write that is not here. */
    private @Nullable Version stuckAt;

    CommitIntake(FunnelContext context, Commits commits, CatchingUp catchingUp, StateTransfers transfers) {
        this.context = context;
        this.commits = commits;
        this.catchingUp = catchingUp;
        this.transfers = transfers;
    }

    void begin() {
        early.clear();
        stuckAt = null;
    }

    void commit(Commit commit, Turn turn) {
        if (!context.isServing() || context.isTail()) {
            return;
        }
        context.standing.open();
        if (commit.first() > context.progress.applied().commit() + 1) {
            if (early.size() < EARLY_MAX) {
                early.put(commit.first(), commit);
            }
            catchUp(turn);
            return;
        }
        if (apply(commit, turn)) {
            drain(turn);
        } else {
            // A transfer that is not complete has settled it.
            early.put(commit.first(), commit);
            catchUp(turn);
        }
    }

    private void catchUp(Turn turn) {
        Peer tail = context.tail();
        if (tail != null) {
            catchingUp.ask(tail, turn);
        }
    }

    /**
     * Goes on with what was kept, after the commits before were caught up with. If nothing came since a kept commit
     * last failed, the question is not repeated: a commit of a write that nobody has would make this node and the tail
     * ask and answer for ever.
     */
    void drain(Turn turn) {
        while (!early.isEmpty()
                && early.firstKey() <= context.progress.applied().commit() + 1) {
            Commit kept = early.pollFirstEntry().getValue();
            if (!apply(kept, turn)) {
                early.put(kept.first(), kept);
                if (!context.progress.applied().equals(stuckAt)) {
                    stuckAt = context.progress.applied();
                    catchUp(turn);
                }
                return;
            }
        }
    }

    /** Returns false, with nothing done behind it, at a write that is not here. */
    private boolean apply(Commit commit, Turn turn) {
        if (catchingUp.collected() > 0) {
            return false; // a removal that is applied now may be forgotten before an older value of its key is taken
        }
        long number = commit.first();
        for (Runs.Run run : commit.runs()) {
            for (long index = run.from(); index < run.from() + run.length(); index++) {
                if (number > context.progress.applied().commit()) {
                    Write write = context.writes.find(run.code(), index);
                    if (write == null) {
                        return false;
                    }
                    commits.apply(write, commit.atMillis(), turn);
                }
                number++;
            }
        }
        Version forgettable = transfers.forgettable(commit.stable(), turn.now());
        if (!context.progress.applied().isBefore(forgettable)) {
            context.forgetRemovals(forgettable, transfers::needs, turn);
        }
        return true;
    }
}
