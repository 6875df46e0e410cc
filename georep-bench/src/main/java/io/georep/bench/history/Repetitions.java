package io.georep.bench.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Looks for the recorded cause of each repetition, and for the warning that is due. Used by one thread. */
final class Repetitions {
    /**
     * How long a mark may stay unwritten. Marks are written with the next batch of the store, within milliseconds; this much
     * only on an overloaded machine.
     */
    private static final long MARK_WITHIN_MICROS = 5_000_000;

    /**
     * How long after an adoption the same node may record that it gave the holder up. Two threads of it tell of the one and of the
     * other, so they are late independently.
     */
    private static final long TOLD_WITHIN_MICROS = 1_000_000;

    private static final String GIVEN_UP = "TERMINATED";

    /** A time in which one node had given another one up. */
    private record GivingUp(long from, long until) {}

    private final List<Trouble> troubles;
    private final long failoverMicros;
    private final Map<Long, Long> ends = new HashMap<>();
    private final Map<String, List<GivingUp>> givenUp = new HashMap<>();
    private final List<Finding> findings;
    final Map<String, Long> causes = new TreeMap<>();
    long announced;
    long excused;

    Repetitions(Event.Run run, List<Event> events, List<Trouble> troubles, List<Finding> findings) {
        this.troubles = troubles;
        this.failoverMicros = run.suspectMicros() + run.terminateMicros();
        this.findings = findings;
        for (Event event : events) {
            if (event instanceof Event.Ended ended) {
                ends.put(ended.process(), ended.at());
            } else if (event instanceof Event.Judged judged) {
                judge(givenUp.computeIfAbsent(pair(judged.node(), judged.peer()), pair -> new ArrayList<>()), judged);
            }
        }
    }

    private static String pair(String node, String peer) {
        return node + " " + peer;
    }

    private static void judge(List<GivingUp> before, Event.Judged judged) {
        if (!before.isEmpty() && before.get(before.size() - 1).until == Long.MAX_VALUE) {
            if (!judged.state().equals(GIVEN_UP)) {
                before.add(new GivingUp(before.remove(before.size() - 1).from, judged.at()));
            }
        } else if (judged.state().equals(GIVEN_UP)) {
            before.add(new GivingUp(judged.at(), Long.MAX_VALUE));
        }
    }

    /**
     * Explains all arrivals of one entry.
     *
     * @param sent when its producer sent it
     */
    void explain(long sent, List<Event.Forwarded> arrivals) {
        List<Event.Forwarded> inOrder = new ArrayList<>(arrivals);
        inOrder.sort(Comparator.comparingLong(Event.Forwarded::offered));
        for (int i = 1; i < inOrder.size(); i++) {
            Event.Forwarded later = inOrder.get(i);
            String cause = null;
            boolean warned = later.possiblySent();
            boolean due = false;
            for (Event.Forwarded earlier : inOrder.subList(0, i)) {
                cause = cause(sent, earlier, later);
                if (cause == null) {
                    findings.add(new Finding(Finding.Kind.UNEXPLAINED, describe(earlier, later)));
                    return;
                }
                if (!warned && !noteLost(earlier, later)) {
                    due = true;
                    findings.add(new Finding(Finding.Kind.UNANNOUNCED, describe(earlier, later)));
                }
            }
            causes.merge(String.valueOf(cause), 1L, Long::sum);
            announced += warned ? 1 : 0;
            excused += warned || due ? 0 : 1;
        }
    }

    private @Nullable String cause(long sent, Event.Forwarded earlier, Event.Forwarded later) {
        if (earlier.process() == later.process()) {
            return null;
        }
        return earlier.node().equals(later.node()) ? ofOneNode(earlier, later) : ofTwoNodes(sent, earlier, later);
    }

    private @Nullable String ofOneNode(Event.Forwarded earlier, Event.Forwarded later) {
        if (storeLost(earlier, later)) {
            return Cause.MARK_LOST_WITH_STORE + " (" + Fault.STORE_LOST + ")";
        }
        return unwritten(earlier, earlier.at()) ? Cause.CRASH_BEFORE_MARK + " (" + Fault.DOWN + ")" : null;
    }

    /** Returns whether the process ended so soon after a moment that marks of that moment may be lost. */
    private boolean unwritten(Event.Forwarded earlier, long noted) {
        Long ended = ends.get(earlier.process());
        if (ended == null) {
            return false;
        }
        return ended - noted <= MARK_WITHIN_MICROS
                || troubles.stream()
                        .anyMatch(trouble -> trouble.fault().delaysMarks()
                                && trouble.touches(earlier.node(), earlier.node())
                                && trouble.overlaps(noted, ended, MARK_WITHIN_MICROS));
    }

    private boolean storeLost(Event.Forwarded earlier, Event.Forwarded later) {
        return storeLost(earlier.node(), earlier.offered(), later.offered());
    }

    private boolean storeLost(String node, long since, long till) {
        return troubles.stream()
                .anyMatch(trouble -> trouble.fault() == Fault.STORE_LOST
                        && trouble.node().equals(node)
                        && trouble.from() >= since
                        && trouble.from() <= till);
    }

    /**
     * Returns why two nodes forwarded an entry, null if nothing explains it. One of them adopted it from a node that it had
     * given up because of a fault, or that came back without the entry, perhaps before any node gave it up.
     */
    private @Nullable String ofTwoNodes(long sent, Event.Forwarded earlier, Event.Forwarded later) {
        for (Event.Forwarded taker : List.of(later, earlier)) {
            if (!taker.adoptedFrom().isEmpty()) {
                Trouble why = whyGivenUp(taker.node(), taker.adoptedFrom(), sent, taker.offered());
                if (why != null) {
                    return Cause.ADOPTION + " (" + why.fault() + ")";
                }
                if (storeLost(taker.adoptedFrom(), sent, taker.offered())) {
                    return Cause.ADOPTION + " (" + Fault.STORE_LOST + ")";
                }
            }
        }
        return null;
    }

    /**
     * Returns the latest fault because of which the adopter gave the holder up, after the entry was sent and before the adopter
     * offered it. An injected fault comes before a starved process.
     */
    private @Nullable Trouble whyGivenUp(String adopter, String holder, long sent, long offered) {
        Trouble why = null;
        for (GivingUp time : givenUp.getOrDefault(pair(adopter, holder), List.of())) {
            if (time.from <= offered + TOLD_WITHIN_MICROS && time.until >= sent) {
                for (Trouble trouble : troubles) {
                    boolean explains = trouble.fault().mayLookLikeDeath()
                            && trouble.touches(adopter, holder)
                            && trouble.overlaps(time.from - failoverMicros, time.from, failoverMicros);
                    boolean better = why == null || why.fault() == Fault.STARVED || trouble.fault() != Fault.STARVED;
                    why = explains && better ? trouble : why;
                }
            }
        }
        return why;
    }

    /**
     * Returns whether the note that the entry was handed out may be lost: a node does not wait until it is written (see
     * the guarantees).
     */
    private boolean noteLost(Event.Forwarded earlier, Event.Forwarded later) {
        return earlier.node().equals(later.node())
                && (storeLost(earlier, later) || unwritten(earlier, earlier.offered()));
    }

    private static String describe(Event.Forwarded earlier, Event.Forwarded later) {
        return "entry " + later.id() + " was forwarded " + describe(earlier) + ", and " + describe(later);
    }

    private static String describe(Event.Forwarded arrival) {
        return "by " + arrival.node() + " (pid " + arrival.process() + ", offered "
                + Verdict.seconds(arrival.offered()) + ", taken " + Verdict.seconds(arrival.at())
                + (arrival.adoptedFrom().isEmpty() ? "" : ", adopted from " + arrival.adoptedFrom())
                + (arrival.possiblySent() ? ", announced" : ", not announced") + ")";
    }
}
