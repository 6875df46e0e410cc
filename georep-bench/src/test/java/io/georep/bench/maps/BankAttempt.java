package io.georep.bench.maps;

import io.georep.bench.maps.BankCall.Way;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What became of a call that a client made of one node.
 *
 * @param group whose keys it was about
 * @param patienceMillis for how long the client wanted to wait
 * @param fate {@code ok}, or {@code none} or {@code unknown} with the reason
 */
record BankAttempt(int group, Way way, int node, long began, long ended, int patienceMillis, String fate) {
    private static final String UNANSWERED = "unknown unanswered";

    BankAttempt(int group, Way way, int node, long began, long ended, int patienceMillis, String[] answer) {
        this(
                group,
                way,
                node,
                began,
                ended,
                patienceMillis,
                answer[0].equals("ok") ? answer[0] : answer[0] + " " + answer[1]);
    }

    boolean isDone() {
        return fate.equals("ok");
    }

    /** Returns whether its client went away before this time was over. That says nothing of the node. */
    boolean wasGivenUpWithin(Duration time) {
        return fate.equals(UNANSWERED) && patienceMillis < time.toMillis();
    }

    /** Returns whether the node said within this time what became of it. */
    boolean wasAnsweredWithin(Duration time) {
        return !fate.equals(UNANSWERED) && ended - began < time.toNanos();
    }

    /** Returns how many there were of each kind and fate. */
    static Map<String, Long> fates(Stream<BankAttempt> all) {
        return all.collect(
                Collectors.groupingBy(each -> each.way.kind() + " " + each.fate, TreeMap::new, Collectors.counting()));
    }
}
