package io.georep.bench.history;

import io.georep.bench.history.Event.Answer;
import io.georep.bench.history.Event.Phase;
import io.georep.bench.history.Finding.Kind;
import java.util.ArrayList;
import java.util.List;

/** A history made by hand: three nodes, f = 1, T_s = 1 s, T_x = 2 s. Times are seconds. */
abstract class HistoryFixture {
    static final long SECOND = 1_000_000;
    static final long SUSPECT = SECOND;
    static final long TERMINATE = 2 * SECOND;

    final List<Event> events =
            new ArrayList<>(List.of(new Event.Run(0, 7, 3, 1, SUSPECT, TERMINATE, "./mvnw -Dgroups=chaos")));
    long attempts;

    static long at(double seconds) {
        return (long) (seconds * SECOND);
    }

    static String id(long attempt) {
        return "node-1:5:0:" + attempt;
    }

    static long process(String node, int boot) {
        return boot * 100L + node.charAt(node.length() - 1);
    }

    long sent(double seconds) {
        events.add(new Event.Sent(at(seconds), attempts, "node-1"));
        return attempts++;
    }

    void answered(double seconds, long attempt, Answer answer) {
        boolean stored = answer == Answer.ACKNOWLEDGED;
        events.add(new Event.Answered(
                at(seconds), attempt, answer, stored ? id(attempt) : "", stored ? "" : "QUEUE_FULL"));
    }

    long stored(double seconds) {
        long attempt = sent(seconds);
        answered(seconds, attempt, Answer.ACKNOWLEDGED);
        return attempt;
    }

    void forwarded(double seconds, long attempt, String node, int boot) {
        forwarded(seconds, seconds, attempt, node, boot, "", false);
    }

    void forwarded(
            double offered, double taken, long attempt, String node, int boot, String from, boolean possiblySent) {
        events.add(new Event.Forwarded(
                at(taken), attempt, id(attempt), node, process(node, boot), at(offered), from, possiblySent));
    }

    void killed(double seconds, String node, int boot) {
        events.add(new Event.Began(at(seconds), Fault.DOWN, node, ""));
        events.add(new Event.Ended(at(seconds), node, process(node, boot)));
    }

    void over(double seconds, Fault fault, String node, String peer) {
        events.add(new Event.Over(at(seconds), fault, node, peer));
    }

    void began(double seconds, Fault fault, String node, String peer) {
        events.add(new Event.Began(at(seconds), fault, node, peer));
    }

    void accident(double seconds, int number, String kind) {
        events.add(new Event.Accident(at(seconds), number, kind));
    }

    void judged(double seconds, String node, String peer, String state) {
        events.add(new Event.Judged(at(seconds), node, peer, state));
    }

    void used(double seconds, int boot, long residentBytes, int descriptors, long logLines) {
        events.add(
                new Event.Used(at(seconds), "node-1", process("node-1", boot), residentBytes, descriptors, logLines));
    }

    void counted(double seconds, Phase phase, long held, long copies, long untold) {
        events.add(new Event.Counted(at(seconds), phase, List.of(new Event.Holding("node-1", held, copies, untold))));
    }

    /** Nothing waits while everybody is counted, unless the test says otherwise. */
    Verdict verdict() {
        if (events.stream().noneMatch(Event.Counted.class::isInstance)) {
            counted(1000, Phase.QUIET, 100, 100, 0);
        }
        counted(1001, Phase.END, 0, 0, 0);
        return Checker.judge(events);
    }

    List<Kind> findings() {
        return verdict().findings().stream().map(Finding::kind).toList();
    }

    long adoptedAfter(Fault fault, String node, String peer, boolean possiblySent) {
        long attempt = stored(1);
        forwarded(2, 9, attempt, "node-1", 1, "", false);
        began(2, fault, node, peer);
        judged(5.5, "node-2", "node-1", "TERMINATED");
        forwarded(6, 6, attempt, "node-2", 1, "node-1", possiblySent);
        over(8, fault, node, peer);
        return attempt;
    }
}
