package io.georep.bench.history;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Checks what holds under too much work: no live node is given up, refusals have a type, and the throughput comes back. Used by
 * one thread.
 */
final class Overload {
    private static final long SECOND = 1_000_000;

    /** The throughput before an overload is measured over this time. */
    private static final long BASE_MICROS = 5 * SECOND;

    private static final long BACK_WITHIN_MICROS = 10 * SECOND;

    /** This share of it counts as full, since the machine has other things to do as well. */
    private static final double FULL = 0.8;

    /**
     * Types that a refusal may have: the reasons of {@code RejectedException}, and the one that a client without a connection
     * gives.
     */
    private static final Set<String> REASONS = Set.of(
            "TOO_FEW_PEERS",
            "QUEUE_FULL",
            "PAYLOAD_TOO_LARGE",
            "STORE_FULL",
            "STORE_STALLED",
            "LEAVING",
            "NOT_CONNECTED");

    private final List<Event> events;
    private final List<Trouble> troubles;
    private final List<Finding> findings;
    private final long afterMicros;
    private final int[] acknowledged;
    private final long lastSent;
    long suspicions;
    long throughputs;

    Overload(Event.Run run, List<Event> events, List<Trouble> troubles, List<Finding> findings) {
        this.events = events;
        this.troubles = troubles;
        this.findings = findings;
        this.afterMicros = 2 * (run.suspectMicros() + run.terminateMicros());
        this.acknowledged = Rates.perSecond(
                events, event -> event instanceof Event.Answered it && it.answer() == Event.Answer.ACKNOWLEDGED);
        this.lastSent = events.stream()
                .filter(Event.Sent.class::isInstance)
                .mapToLong(Event::at)
                .max()
                .orElse(0);
    }

    void judge() {
        for (Event event : events) {
            if (event instanceof Event.Judged judged) {
                suspicion(judged);
            } else if (event instanceof Event.Answered answered
                    && answered.answer() == Event.Answer.REJECTED
                    && !REASONS.contains(answered.reason())) {
                findings.add(new Finding(
                        Finding.Kind.UNTYPED,
                        "attempt " + answered.attempt() + " was refused with '" + answered.reason() + "'"));
            }
        }
        for (Trouble trouble : troubles) {
            if (trouble.fault().isOverload()) {
                throughput(trouble);
            }
        }
    }

    private void suspicion(Event.Judged judged) {
        boolean suspected = judged.state().equals("SCHRODINGER");
        boolean givenUp = judged.state().equals("TERMINATED");
        if ((!suspected && !givenUp) || cutOff(judged)) {
            return;
        }
        suspicions++;
        if (givenUp) {
            findings.add(new Finding(
                    Finding.Kind.FALSE_SUSPICION,
                    judged.node() + " gave " + judged.peer() + " up at " + Verdict.seconds(judged.at())
                            + " although nothing lay between them"));
        }
    }

    private boolean cutOff(Event.Judged judged) {
        return troubles.stream()
                .anyMatch(trouble -> trouble.fault().mayLookLikeDeath()
                        && trouble.touches(judged.node(), judged.peer())
                        && trouble.overlaps(judged.at(), judged.at(), afterMicros));
    }

    /**
     * Compares the throughput only if nothing else happened before, within and after the overload, and producers had enough to
     * do.
     */
    private void throughput(Trouble overload) {
        long from = overload.from() - BASE_MICROS;
        long till = overload.until() + BACK_WITHIN_MICROS;
        boolean alone = overload.until() != Long.MAX_VALUE
                && from >= 0
                && till <= lastSent
                && troubles.stream()
                        .noneMatch(other -> other.overlaps(from, till, 0)
                                && (other.accident() != overload.accident() || other.fault() == Fault.STARVED));
        if (!alone) {
            return;
        }
        throughputs++;
        double before = most(from, overload.from(), (int) (BASE_MICROS / SECOND));
        double after = most(overload.until(), till, 1);
        if (after < FULL * before) {
            findings.add(new Finding(
                    Finding.Kind.SLOW_AFTERWARDS,
                    String.format(
                            Locale.ROOT,
                            "%.0f acknowledged per second before %s, at most %.0f in the 10 s after it",
                            before,
                            overload.describe(),
                            after)));
        }
    }

    /** Most per second, on average over so many whole seconds within a time. */
    private double most(long from, long till, int seconds) {
        double most = 0;
        for (int second = (int) (from / SECOND); second + seconds <= till / SECOND; second++) {
            int sum = 0;
            for (int i = second; i < second + seconds; i++) {
                sum += i < acknowledged.length ? acknowledged[i] : 0;
            }
            most = Math.max(most, (double) sum / seconds);
        }
        return most;
    }
}
