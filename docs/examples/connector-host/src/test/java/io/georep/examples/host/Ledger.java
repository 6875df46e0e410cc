package io.georep.examples.host;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What senders were told, and what arrived at the other side. Each attempt to send has a number, which is its payload. What was
 * acknowledged must arrive, what was refused must not; what has no answer may do either. Thread-safe.
 */
final class Ledger {
    private enum Answer {
        NONE,
        ACKNOWLEDGED,
        REFUSED
    }

    private final AtomicInteger numbers = new AtomicInteger();
    private final Map<Integer, Answer> attempts = new TreeMap<>();
    private final Map<Integer, Integer> arrivals = new HashMap<>();
    private final Map<Integer, String> ids = new HashMap<>();
    private final Set<String> faults = new TreeSet<>();

    /** A new attempt; returns its payload. */
    synchronized String open() {
        int number = numbers.getAndIncrement();
        attempts.put(number, Answer.NONE);
        return "entry-" + number;
    }

    synchronized void acknowledged(String payload) {
        attempts.put(number(payload), Answer.ACKNOWLEDGED);
    }

    synchronized void refused(String payload) {
        attempts.put(number(payload), Answer.REFUSED);
    }

    /** The other side got it. */
    synchronized void arrived(String payload) {
        int number = number(payload);
        if (!attempts.containsKey(number)) {
            faults.add("nobody sent '" + payload + "'");
        }
        arrivals.merge(number, 1, Integer::sum);
    }

    /** The other side got it under an id, which must be the same each time. */
    synchronized void arrived(String payload, String id) {
        arrived(payload);
        String before = ids.putIfAbsent(number(payload), id);
        if (before != null && !before.equals(id)) {
            faults.add(payload + " arrived as " + before + " and as " + id);
        }
    }

    private static int number(String payload) {
        try {
            return Integer.parseInt(payload.substring(payload.indexOf('-') + 1));
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /** How many were acknowledged. */
    synchronized long acknowledged() {
        return attempts.values().stream().filter(Answer.ACKNOWLEDGED::equals).count();
    }

    /** How many arrived, each counted once. */
    synchronized int arrived() {
        return arrivals.size();
    }

    /** Acknowledged and not arrived yet; in the end: lost. */
    synchronized List<Integer> missing() {
        return attempts.entrySet().stream()
                .filter(each -> each.getValue() == Answer.ACKNOWLEDGED && !arrivals.containsKey(each.getKey()))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** How often something arrived that had arrived before. */
    synchronized int duplicates() {
        return arrivals.values().stream().mapToInt(each -> each - 1).sum();
    }

    /** What must never be: strangers, what was refused, and changing ids. */
    synchronized Set<String> faults() {
        Set<String> all = new TreeSet<>(faults);
        attempts.forEach((number, answer) -> {
            if (answer == Answer.REFUSED && arrivals.containsKey(number)) {
                all.add("entry-" + number + " was refused and arrived");
            }
        });
        return all;
    }

    @Override
    public synchronized String toString() {
        return attempts.size() + " attempts, " + acknowledged() + " acknowledged, " + arrivals.size() + " arrived, "
                + missing().size() + " missing, " + duplicates() + " duplicates, faults " + faults();
    }
}
