package io.georep.funnel.core;

import io.georep.codec.BinReader;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.funnel.core.messages.FunnelMessages.Commit;
import io.georep.funnel.core.messages.FunnelMessages.Holding;
import io.georep.funnel.core.messages.FunnelMessages.Report;
import io.georep.funnel.core.messages.Runs;
import io.georep.model.NodeId;
import io.georep.protocol.Peer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a tail may know and do by the messages that came to it. A report counts when all earlier ones have come, or a full one (K6). A
 * write is committed when all members have reported it in reports that count (K1), and a view begins after all members have told what they
 * hold (K10).
 */
final class ReportJudge {
    private static final int CODE_SHIFT = 48;

    /** The reports of one member. */
    private static final class Reporter {
        long expected = 1;
        long own;
        final TreeMap<Long, Report> early = new TreeMap<>();
        final Set<Long> reported = new HashSet<>();

        void take(Report report) {
            if (report.full()) {
                if (report.number() + 1 < expected) {
                    return;
                }
                early.headMap(report.number(), true).clear();
                expected = report.number() + 1;
                count(report);
            } else if (report.number() >= expected) {
                early.put(report.number(), report);
            }
            for (Report next = early.remove(expected); next != null; next = early.remove(expected)) {
                expected++;
                count(next);
            }
        }

        private void count(Report report) {
            own = Math.max(own, report.own());
            for (Runs.Run run : report.runs()) {
                for (long index = run.from(); index < run.from() + run.length(); index++) {
                    reported.add(name(run.code(), index));
                }
            }
        }
    }

    private record Flush(NodeId member, long view) {}

    /** By whose reports the writes of one head count, as was found before: what counts once does so for as long as the view lasts. */
    private static final class Found {
        private long base;
        private long[] by = new long[64];

        long of(long counter) {
            return counter - base < by.length ? by[(int) (counter - base)] : 0;
        }

        void add(long counter, long ranks) {
            if (counter - base >= by.length) {
                by = Arrays.copyOf(by, (int) Math.max(2L * by.length, counter - base + 1));
            }
            by[(int) (counter - base)] |= ranks;
        }

        /** Writes below are not asked for any more. */
        void forgetBelow(long from) {
            if (from < base || from - base >= by.length) {
                Arrays.fill(by, 0);
            } else if (from - base >= by.length / 2) {
                int gone = (int) (from - base);
                System.arraycopy(by, gone, by, 0, by.length - gone);
                Arrays.fill(by, by.length - gone, by.length, 0);
            } else {
                return;
            }
            base = from;
        }
    }

    private final FunnelContext context;
    private final Map<Integer, Reporter> reporters = new HashMap<>();
    private final Map<Integer, Found> found = new HashMap<>();
    private final Map<Flush, Holding> flushed = new HashMap<>();
    private long view;
    private long startedView;

    ReportJudge(FunnelContext context) {
        this.context = context;
    }

    private static long name(int code, long index) {
        return ((long) code << CODE_SHIFT) | index;
    }

    void came(Peer from, int type, long ofView, BinReader body) {
        int rank = context.rankOf(from.id());
        boolean isPresent = ofView == context.viewNumber() && rank >= 0;
        if (type == FunnelMessages.FLUSH) {
            flushed.put(new Flush(from.id(), ofView), Holding.read(body)); // perhaps before the view is known here
        } else if (type == FunnelMessages.REPORT && isPresent && isTail()) {
            reporter(rank).take(Report.read(body, context.size()));
        }
    }

    private boolean isTail() {
        return context.isServing() && context.isTail();
    }

    private void begin() {
        if (view != context.viewNumber()) {
            view = context.viewNumber();
            reporters.clear();
            found.clear();
        }
    }

    private Reporter reporter(int rank) {
        begin();
        return reporters.computeIfAbsent(rank, none -> new Reporter());
    }

    void left(int type, long ofView, BinReader body) {
        if (ofView != context.viewNumber() || !context.isTail()) {
            return;
        }
        if (type == FunnelMessages.COMMIT) {
            commit(Commit.read(body, context.size()));
        } else if (type == FunnelMessages.VIEW_START) {
            start(Holding.read(body));
        }
    }

    private void commit(Commit commit) {
        for (int rank = 0; rank < context.size(); rank++) {
            if (rank == context.standing.rank()) {
                continue;
            }
            Reporter reporter = reporter(rank);
            if (reporter.expected == 1) {
                FunnelWatch.fail(
                        "K10",
                        "a commit before the first report that counts of",
                        context.members().get(rank));
            }
            for (Runs.Run run : commit.runs()) {
                for (long index = run.from(); run.code() > 0 && index < run.from() + run.length(); index++) {
                    if (!reporter.reported.contains(name(run.code(), index))) {
                        FunnelWatch.fail(
                                "K1, K6",
                                "commit of write " + run.code() + "/" + index
                                        + " which no report that counts named, of",
                                context.members().get(rank));
                    }
                }
            }
        }
    }

    private void start(Holding start) {
        long now = context.viewNumber();
        if (startedView == now) {
            return; // said again
        }
        startedView = now;
        flushed.keySet().removeIf(flush -> flush.view < now);
        for (NodeId member : context.members()) {
            Holding held = flushed.get(new Flush(member, now));
            if (member.equals(context.self())) {
                continue;
            }
            if (held == null) {
                FunnelWatch.fail("K10", "a view begins without what is held by", member);
            } else if (start.version().isBefore(held.version())) {
                FunnelWatch.fail("K10", "a view begins before " + held.version() + " of", member);
            }
        }
    }

    /** What the tail knows of each member, that member has reported. */
    void check() {
        if (!isTail()) {
            return;
        }
        begin();
        for (int head = 0; head < context.size(); head++) {
            HeadLog log = context.writes.log(head);
            Found before = found.computeIfAbsent(head, none -> new Found());
            before.forgetBelow(log.base());
            for (long counter = log.base(); counter < log.end(); counter++) {
                long by = log.reportedBy(counter) & ~(1L << context.standing.rank()) & ~before.of(counter);
                before.add(counter, by);
                for (; by != 0; by &= by - 1) {
                    int rank = Long.numberOfTrailingZeros(by);
                    if (!reporter(rank).reported.contains(name(head + 1, counter))) {
                        FunnelWatch.fail(
                                "K6",
                                "write " + (head + 1) + "/" + counter + " by a report that does not count, of",
                                context.members().get(rank));
                    }
                }
            }
        }
    }
}
