package io.georep.examples.sms.demo;

import io.georep.examples.sms.simulator.OperatorSimulator;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What clients were told and what the operator got, kept where no kill of a gateway can reach it. Every attempt to submit
 * has a number of its own, which its text carries; so what arrives can be held against the answer its client got: an
 * acknowledged attempt must arrive, and under the acknowledged id. Thread-safe.
 */
final class AttemptAccount {
    /**
     * The figures at one moment.
     *
     * @param acknowledged submits answered with a message id
     * @param throttled submits answered with ESME_RTHROTTLED
     * @param refused submits answered with another error
     * @param unanswered submits without an answer
     * @param arrived attempts the operator got, each counted once
     * @param duplicates messages the operator got again
     * @param missing acknowledged attempts the operator did not get yet
     */
    record Summary(
            long acknowledged,
            long throttled,
            long refused,
            long unanswered,
            long arrived,
            long duplicates,
            long missing) {}

    private static final String PREFIX = "attempt ";
    private static final int FAULTS_MAX = 20;

    private final Map<Integer, String> acknowledged = new LinkedHashMap<>();
    private final Map<Integer, String> arrived = new LinkedHashMap<>();
    private final List<String> faults = new ArrayList<>();
    private int attempts;
    private long throttled;
    private long refused;
    private long unanswered;
    private long duplicates;
    private long missing;

    /** Opens an attempt and returns its number. */
    synchronized int open() {
        return attempts++;
    }

    /** The text that carries the number of an attempt. */
    static String text(int attempt) {
        return PREFIX + attempt;
    }

    synchronized void acknowledged(int attempt, String messageId) {
        acknowledged.put(attempt, messageId);
        String arrivedAs = arrived.get(attempt);
        if (arrivedAs == null) {
            missing++;
        } else {
            compare(attempt, messageId, arrivedAs);
        }
    }

    synchronized void throttled() {
        throttled++;
    }

    synchronized void refused() {
        refused++;
    }

    synchronized void unanswered() {
        unanswered++;
    }

    /** The operator took a message. */
    synchronized void arrived(OperatorSimulator.Received received) {
        int attempt = attempt(received.sms().text());
        if (attempt < 0 || attempt >= attempts) {
            fault("entry " + received.entryId() + " says '" + received.sms().text() + "', which nobody sent");
            return;
        }
        String before = arrived.putIfAbsent(attempt, received.entryId());
        if (before != null) {
            duplicates++;
            compare(attempt, before, received.entryId());
            return;
        }
        String messageId = acknowledged.get(attempt);
        if (messageId != null) {
            missing--;
            compare(attempt, messageId, received.entryId());
        }
    }

    synchronized Summary summary() {
        return new Summary(acknowledged.size(), throttled, refused, unanswered, arrived.size(), duplicates, missing);
    }

    /** Acknowledged entries of a gateway that the operator did not get yet. */
    synchronized long missingOf(String nodeId) {
        return acknowledged.entrySet().stream()
                .filter(each -> each.getValue().startsWith(nodeId + ":") && !arrived.containsKey(each.getKey()))
                .count();
    }

    /** Acknowledged ids the operator did not get, not more than 20. */
    synchronized List<String> lost() {
        return acknowledged.entrySet().stream()
                .filter(each -> !arrived.containsKey(each.getKey()))
                .map(Map.Entry::getValue)
                .limit(FAULTS_MAX)
                .toList();
    }

    /** Contradictions in words, not more than 20. */
    synchronized List<String> faults() {
        return List.copyOf(faults);
    }

    private void compare(int attempt, String one, String other) {
        if (!one.equals(other)) {
            fault("attempt " + attempt + " is " + one + " to one and " + other + " to another");
        }
    }

    private void fault(String text) {
        if (faults.size() < FAULTS_MAX) {
            faults.add(text);
        }
    }

    private static int attempt(@Nullable String text) {
        if (text == null || !text.startsWith(PREFIX)) {
            return -1;
        }
        try {
            return Integer.parseInt(text.substring(PREFIX.length()));
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
