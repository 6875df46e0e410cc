package io.georep.bench.history;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Judges a history: a total queue in the words of Jepsen, of which every repetition must have a recorded cause. Reads
 * nothing but the history, so it can judge a stored one again. Used by one thread.
 */
public final class Checker {
    /** Accounts of the time before the first accident. */
    static final String BEFORE = "none yet";

    /** Findings of each kind that are worth keeping; the totals count all. */
    private static final int FINDINGS_MAX = 1000;

    /** What happened to one attempt. */
    private static final class Attempt {
        final long sent;
        final Totals sentDuring;
        Totals answeredDuring;
        Event.Answer answer = Event.Answer.INDETERMINATE;
        String id = "";
        boolean answered;
        final List<Event.Forwarded> arrivals = new ArrayList<>(1);

        Attempt(long at, Totals during) {
            sent = at;
            sentDuring = during;
            answeredDuring = during;
        }
    }

    private final List<Event> events;
    private final Event.Run run;
    private final List<Finding> findings = new ArrayList<>();
    private final Map<String, Totals> kinds = new LinkedHashMap<>();
    private final Map<Long, Attempt> attempts = new HashMap<>();
    private final Set<Event.Phase> counted = EnumSet.noneOf(Event.Phase.class);
    private final Consumption consumption = new Consumption(findings);
    private Totals now = totals(BEFORE);
    private long unforwarded;

    private Checker(List<Event> events) {
        this.events = events;
        if (events.isEmpty() || !(events.get(0) instanceof Event.Run first)) {
            throw new IllegalArgumentException("a history begins with its run");
        }
        run = first;
    }

    /** Judges all events of a run. */
    public static Verdict judge(List<Event> events) {
        return new Checker(events).judge();
    }

    private Verdict judge() {
        List<Trouble> troubles = Trouble.all(events);
        for (Event event : events) {
            take(event);
        }
        Repetitions repetitions = new Repetitions(run, events, troubles, findings);
        attempts.forEach((number, attempt) -> close(number, attempt, repetitions));
        for (Event.Phase phase : Event.Phase.values()) {
            if (!counted.contains(phase)) {
                findings.add(new Finding(Finding.Kind.INCOMPLETE, "nobody was counted in phase " + phase));
            }
        }
        Overload overload = new Overload(run, events, troubles, findings);
        overload.judge();
        new Reunions(events, troubles, kinds).judge();
        return new Verdict(
                run,
                List.copyOf(kinds.values()),
                Map.copyOf(repetitions.causes),
                repetitions.announced,
                repetitions.excused,
                overload.suspicions,
                overload.throughputs,
                bounded());
    }

    private void take(Event event) {
        if (event instanceof Event.Sent sent) {
            attempts.put(sent.attempt(), new Attempt(sent.at(), now));
            now.attempted++;
        } else if (event instanceof Event.Answered answered) {
            answered(answered);
        } else if (event instanceof Event.Forwarded forwarded) {
            forwarded(forwarded);
        } else if (event instanceof Event.Accident accident) {
            now = totals(accident.kind());
            now.times++;
        } else if (event instanceof Event.Failed failed) {
            findings.add(new Finding(Finding.Kind.INCOMPLETE, failed.text()));
        } else if (event instanceof Event.Used used) {
            consumption.judge(used);
        } else if (event instanceof Event.Counted all) {
            counted.add(all.phase());
            count(all);
        }
    }

    private Totals totals(String kind) {
        return kinds.computeIfAbsent(kind, Totals::new);
    }

    private void answered(Event.Answered event) {
        Attempt attempt = attempts.get(event.attempt());
        if (attempt == null || attempt.answered) {
            unexpected("attempt " + event.attempt() + " was answered " + event.answer() + " but was not open");
            return;
        }
        attempt.answered = true;
        attempt.answer = event.answer();
        attempt.answeredDuring = now;
        switch (event.answer()) {
            case ACKNOWLEDGED -> {
                now.acknowledged++;
                unforwarded += attempt.arrivals.isEmpty() ? 1 : 0;
                identify(event.attempt(), attempt, event.id());
            }
            case REJECTED -> now.rejected++;
            case INDETERMINATE -> now.indeterminate++;
        }
    }

    private void forwarded(Event.Forwarded event) {
        Attempt attempt = attempts.get(event.attempt());
        if (attempt == null) {
            unexpected("entry " + event.id() + " arrived with a payload nobody sent");
            return;
        }
        identify(event.attempt(), attempt, event.id());
        attempt.arrivals.add(event);
        if (attempt.arrivals.size() > 1) {
            now.duplicated++;
            return;
        }
        now.forwarded++;
        unforwarded -= attempt.answer == Event.Answer.ACKNOWLEDGED ? 1 : 0;
    }

    private void identify(long number, Attempt attempt, String id) {
        if (attempt.id.isEmpty()) {
            attempt.id = id;
        } else if (!attempt.id.equals(id)) {
            unexpected("attempt " + number + " is " + attempt.id + " to one and " + id + " to another");
        }
    }

    private void unexpected(String text) {
        now.unexpected++;
        findings.add(new Finding(Finding.Kind.UNEXPECTED, text));
    }

    private void count(Event.Counted all) {
        long held = all.holdings().stream().mapToLong(Event.Holding::held).sum();
        long copies = all.holdings().stream().mapToLong(Event.Holding::copies).sum();
        long untold = all.holdings().stream().mapToLong(Event.Holding::untold).sum();
        if (all.phase() == Event.Phase.END) {
            if (held + copies + untold > 0) {
                findings.add(new Finding(Finding.Kind.LEFT_OVER, all.holdings().toString()));
            }
        } else if (!Event.Holding.haveAll(all.holdings(), unforwarded, run.f())) {
            findings.add(new Finding(
                    Finding.Kind.MISSING_COPIES,
                    unforwarded + " acknowledged entries wait, with f = " + run.f() + "; " + held + " are held, with "
                            + copies + " copies elsewhere: " + all.holdings()));
        }
    }

    private void close(long number, Attempt attempt, Repetitions repetitions) {
        boolean arrived = !attempt.arrivals.isEmpty();
        if (attempt.answer == Event.Answer.ACKNOWLEDGED && !arrived) {
            attempt.answeredDuring.lost++;
            findings.add(new Finding(
                    Finding.Kind.LOST,
                    "entry " + attempt.id + " (attempt " + number + "), acknowledged during "
                            + attempt.answeredDuring.kind));
        } else if (attempt.answer == Event.Answer.REJECTED && arrived) {
            attempt.answeredDuring.unexpected++;
            findings.add(new Finding(
                    Finding.Kind.UNEXPECTED, "attempt " + number + " was refused and forwarded as " + attempt.id));
        } else if (attempt.answer == Event.Answer.INDETERMINATE) {
            attempt.answeredDuring.recovered += arrived ? 1 : 0;
            attempt.sentDuring.indeterminate += attempt.answered ? 0 : 1;
        }
        repetitions.explain(attempt.sent, attempt.arrivals);
    }

    private List<Finding> bounded() {
        Map<Finding.Kind, Integer> seen = new HashMap<>();
        return findings.stream()
                .filter(finding -> seen.merge(finding.kind(), 1, Integer::sum) <= FINDINGS_MAX)
                .toList();
    }
}
