package io.georep.funnel.core;

import io.georep.codec.MalformedException;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.funnel.core.messages.FunnelMessages.Report;
import io.georep.funnel.core.messages.Runs;
import io.georep.funnel.core.messages.Version;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.TreeMap;

/**
 * Decides the order of writes, on the last member of a view. It processes the reports of a member in the order of their numbers (L3).
 * It commits a write when all members have reported it and no smaller uncommitted write of its key can exist (L5). Without a lease
 * it commits nothing: there may be another tail. Nor does it with fewer members than the master wants for a write.
 */
final class Tail {
    /** Most reports of a member that are kept while an earlier one is missing. */
    private static final int EARLY_MAX = 64;

    /** Most writes in one message of those with which the view began: each may be named on its own. */
    static final int COMMIT_MAX = 1 << 16;

    private static final class Intake {
        long expected = 1;
        long applied;
        long askedAt = Long.MIN_VALUE;
        final TreeMap<Long, Report> early = new TreeMap<>();
    }

    private final FunnelContext context;
    private final Commits commits;
    private final Runs committed = new Runs();

    /**
     * Keys whose first write all members have reported, but that cannot be committed yet: a head may have made a
     * smaller write that is not here, or the tail may not commit now.
     */
    private final LinkedHashSet<Cell> held = new LinkedHashSet<>();

    private Intake[] intakes = new Intake[0];

    /** Members that have what the view began with. */
    private long ready;

    /** Number of the first commit of this turn. */
    private long first;

    private boolean isAnnounced;

    /** Removals up to this version may be forgotten, as was told last. */
    private Version forgettable = Version.NONE;

    Tail(FunnelContext context, Commits commits) {
        this.context = context;
        this.commits = commits;
    }

    /** A view begins; this node need not be its tail. */
    void begin() {
        committed.clear();
        held.clear();
        ready = 0;
        isAnnounced = false;
        forgettable = Version.NONE;
        intakes = new Intake[context.size()];
        Arrays.setAll(intakes, rank -> new Intake());
    }

    /** This member has what the view began with. */
    void ready(int rank, Turn turn) {
        ready |= 1L << rank;
        open(turn);
    }

    /** The view opens, unless this node may have been replaced. */
    private void open(Turn turn) {
        if (ready == context.allRanks() && !context.standing.isOpen() && context.mayCommit(turn)) {
            context.standing.open();
            int left = COMMIT_MAX;
            for (Write write : context.writes.carried()) {
                commit(write, turn);
                if (--left == 0) {
                    tell(turn);
                    left = COMMIT_MAX;
                }
            }
            isAnnounced = true;
        }
    }

    void report(int rank, Peer from, Report report, Turn turn) {
        if (!context.isServing() || !context.isTail()) {
            return;
        }
        check(rank, from, report);
        context.heardClock(report.clock());
        Intake intake = intakes[rank];
        if (report.full()) {
            if (report.number() + 1 >= intake.expected) {
                intake.early.headMap(report.number(), true).clear();
                intake.expected = report.number() + 1;
                process(rank, report, turn);
            }
            announceTo(from, turn);
        } else if (report.number() == intake.expected) {
            intake.expected++;
            process(rank, report, turn);
        } else if (report.number() > intake.expected) {
            keep(intake, from, report, turn);
        }
        Report next = intake.early.remove(intake.expected);
        while (next != null) {
            intake.expected++;
            process(rank, next, turn);
            next = intake.early.remove(intake.expected);
        }
    }

    /** Refuses what cannot be true before anything is changed for it. What is true now stays true while the report is kept. */
    private void check(int rank, Peer from, Report report) {
        context.checkClock(report.clock(), from.id());
        HeadLog log = context.writes.log(rank);
        boolean isTrue = log.mayReach(report.own());
        for (FunnelMessages.Announced each : report.announced()) {
            isTrue &= log.mayReach(each.counter());
        }
        for (Runs.Run run : report.runs()) {
            isTrue &= run.code() == 0 || context.writes.log(run.code() - 1).mayReach(run.from() + run.length() - 1);
        }
        if (!isTrue) {
            throw new MalformedException(
                    "rank " + rank + " reports writes that are too far ahead of those that are not committed");
        }
    }

    private void keep(Intake intake, Peer from, Report report, Turn turn) {
        if (intake.early.size() < EARLY_MAX) {
            intake.early.put(report.number(), report);
        }
        long pause = context.settings.resendAfter().toNanos() / 4;
        if (intake.askedAt == Long.MIN_VALUE || turn.now() - intake.askedAt > pause) {
            intake.askedAt = turn.now();
            turn.send(from, FunnelMessages.RESEND, context.message().toSlice(), true);
        }
    }

    private void process(int rank, Report report, Turn turn) {
        HeadLog log = context.writes.log(rank);
        for (FunnelMessages.Announced each : report.announced()) {
            log.reach(each.counter());
            log.announce(each);
        }
        log.known(report.own());
        intakes[rank].applied = Math.max(intakes[rank].applied, report.applied());
        for (Runs.Run run : report.runs()) {
            reported(rank, run, turn);
        }
        ready(rank, turn);
    }

    /** A member has made these writes durable. */
    void reported(int rank, Runs.Run run, Turn turn) {
        if (run.code() == 0) {
            return; // What the view began with is in the first report without being named.
        }
        HeadLog log = context.writes.log(run.code() - 1);
        long all = context.allRanks();
        for (long counter = run.from(); counter < run.from() + run.length(); counter++) {
            log.reach(counter);
            if (log.report(counter, 1L << rank) == all) {
                Write write = log.get(counter);
                if (write != null) {
                    tryCommit(write.cell(), turn);
                }
            }
        }
    }

    private void tryCommit(Cell cell, Turn turn) {
        for (Write next = cell.first; next != null; next = cell.first) {
            if (!isComplete(next) || !context.standing.isOpen()) {
                return;
            }
            if (mayBePreceded(next) || !context.mayCommit(turn)) {
                held.add(cell);
                return;
            }
            commit(next, turn);
        }
    }

    private boolean isComplete(Write write) {
        return write.code() > 0 && context.writes.log(write.code() - 1).reportedBy(write.index()) == context.allRanks();
    }

    /** Returns whether a head has reported a write that is not here, and that can have a smaller stamp. */
    private boolean mayBePreceded(Write write) {
        for (int rank = 0; rank < context.size(); rank++) {
            HeadLog log = context.writes.log(rank);
            if ((log.hasGap() && log.missingFrom() <= write.clock)
                    || log.hasAnnouncedBefore(write, context.members().get(rank))) {
                return true;
            }
        }
        return false;
    }

    private void commit(Write write, Turn turn) {
        if (committed.isEmpty()) {
            first = context.progress.applied().commit() + 1;
        }
        committed.add(write.code(), write.index(), 1);
        commits.apply(write, wallMillis(turn), turn);
    }

    private static long wallMillis(Turn turn) {
        return Math.max(0, turn.wallMillis());
    }

    /** Tells a member how far the commits are, so that it sees what it misses. */
    void announceTo(Peer member, Turn turn) {
        if (context.isServing() && context.isTail() && context.standing.isOpen() && committed.isEmpty()) {
            FunnelMessages.commit(
                    context.message(),
                    context.progress.applied().commit() + 1,
                    wallMillis(turn),
                    forgettable,
                    new Runs());
            turn.send(member, FunnelMessages.COMMIT, context.scratch.toSlice(), true);
        }
    }

    /** Returns the commit up to which all members have applied everything durably. */
    private Version stable() {
        long applied = context.progress.durable().view() == context.viewNumber()
                ? context.progress.durable().commit()
                : 0;
        for (int rank = 0; rank < intakes.length; rank++) {
            applied = rank == context.standing.rank() ? applied : Math.min(applied, intakes[rank].applied);
        }
        return new Version(context.viewNumber(), applied);
    }

    void endOfTurn(StateTransfers transfers, Turn turn) {
        if (!context.isServing() || !context.isTail()) {
            return;
        }
        forgettable = transfers.forgettable(stable(), turn.now());
        open(turn);
        if (!held.isEmpty()) {
            Cell[] cells = held.toArray(Cell[]::new);
            held.clear();
            for (Cell cell : cells) {
                tryCommit(cell, turn);
            }
        }
        if (committed.isEmpty() && !isAnnounced) {
            return;
        }
        context.forgetRemovals(forgettable, transfers::needs, turn);
        tell(turn);
    }

    private void tell(Turn turn) {
        long number = committed.isEmpty() ? context.progress.applied().commit() + 1 : first;
        isAnnounced = false;
        FunnelMessages.commit(context.message(), number, wallMillis(turn), forgettable, committed);
        context.sendAll(FunnelMessages.COMMIT, context.scratch.toSlice(), true, turn);
    }
}
