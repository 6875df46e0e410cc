package io.georep.examples.sms.containers;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * What clients were told and what the operator got. Each attempt to send has a number, which its text carries: an acknowledged
 * one must arrive, under the id it was acknowledged with; a refused one must not. Thread-safe.
 */
final class Ledger {
    private static final String PREFIX = "attempt ";

    /** Numbers are never used again, so that a late message of one test is not taken for one of the next. */
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    /** How an attempt ended for its client. */
    enum Answer {
        NONE,
        ACKNOWLEDGED,
        REFUSED,
        UNKNOWN
    }

    /** One attempt. */
    static final class Attempt {
        final int number;
        final String phase;
        final String gateway;
        private Answer answer = Answer.NONE;
        private String id = "";
        private final List<String> arrivals = new ArrayList<>();

        private Attempt(int number, String phase, String gateway) {
            this.number = number;
            this.phase = phase;
            this.gateway = gateway;
        }

        String text() {
            return PREFIX + number;
        }

        /** How often the operator got it. */
        int arrivals() {
            return arrivals.size();
        }

        @Override
        public String toString() {
            return number + " (" + phase + ", at " + gateway + ", " + answer + " " + id + ", arrived as " + arrivals
                    + ")";
        }
    }

    private final Map<Integer, Attempt> attempts = new LinkedHashMap<>();
    private final List<String> faults = new ArrayList<>();
    private final int first = NUMBERS.get();
    private String phase = "";

    /** Names what happens from now on; each attempt belongs to the phase in which it began. */
    synchronized void phase(String name) {
        phase = name;
    }

    synchronized Attempt open(String gateway) {
        Attempt attempt = new Attempt(NUMBERS.getAndIncrement(), phase, gateway);
        attempts.put(attempt.number, attempt);
        return attempt;
    }

    synchronized void acknowledged(Attempt attempt, String id) {
        attempt.answer = Answer.ACKNOWLEDGED;
        attempt.id = id;
        attempt.arrivals.forEach(each -> compare(attempt, each));
    }

    synchronized void refused(Attempt attempt) {
        attempt.answer = Answer.REFUSED;
        attempt.arrivals.forEach(each -> compare(attempt, each));
    }

    synchronized void unknown(Attempt attempt) {
        attempt.answer = Answer.UNKNOWN;
    }

    /** The client was told something that it must never be told. */
    synchronized void fault(String text) {
        faults.add(text);
    }

    /** The operator got a message. */
    synchronized void arrived(String entryId, String text) {
        int number = text.startsWith(PREFIX) ? Integer.parseInt(text.substring(PREFIX.length())) : -1;
        if (number >= 0 && number < first) {
            // Of the test before, which has closed its book; it looked for what was missing, and this is a repetition.
            return;
        }
        Attempt attempt = attempts.get(number);
        if (attempt == null) {
            faults.add("entry " + entryId + " says '" + text + "', which nobody sent");
            return;
        }
        attempt.arrivals.add(entryId);
        compare(attempt, entryId);
    }

    private void compare(Attempt attempt, String arrivedAs) {
        if (attempt.answer == Answer.REFUSED) {
            faults.add("refused, but arrived: " + attempt);
        } else if (attempt.answer == Answer.ACKNOWLEDGED && !attempt.id.equals(arrivedAs)) {
            faults.add("arrived under another id: " + attempt);
        }
    }

    /** Acknowledged and not arrived yet; in the end: lost. */
    synchronized List<Attempt> missing() {
        return select(attempt -> attempt.answer == Answer.ACKNOWLEDGED && attempt.arrivals.isEmpty());
    }

    /** Arrived more than once. */
    synchronized List<Attempt> repeated() {
        return select(attempt -> attempt.arrivals.size() > 1);
    }

    /** Attempts that ended in one way and began in one phase. */
    synchronized List<Attempt> all(Answer answer, String ofPhase) {
        return select(attempt -> attempt.answer == answer && attempt.phase.equals(ofPhase));
    }

    /** All attempts of one answer. */
    synchronized List<Attempt> all(Answer answer) {
        return select(attempt -> attempt.answer == answer);
    }

    /** What contradicts what clients were told. */
    synchronized List<String> faults() {
        return List.copyOf(faults);
    }

    /** The figures in one line. */
    synchronized String summary() {
        Map<String, Integer> byAnswer = new TreeMap<>();
        Map<String, Integer> repeatedBy = new TreeMap<>();
        attempts.values().forEach(each -> {
            byAnswer.merge(each.answer.name().toLowerCase(Locale.ROOT), 1, Integer::sum);
            if (each.arrivals.size() > 1) {
                repeatedBy.merge(each.phase, each.arrivals.size() - 1, Integer::sum);
            }
        });
        return attempts.size() + " attempts " + byAnswer + ", missing "
                + missing().size() + ", repeated " + repeatedBy;
    }

    private List<Attempt> select(Predicate<Attempt> condition) {
        return attempts.values().stream().filter(condition).toList();
    }
}
