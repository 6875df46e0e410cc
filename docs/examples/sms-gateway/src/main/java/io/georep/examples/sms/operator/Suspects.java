package io.georep.examples.sms.operator;

import io.georep.model.EntryId;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Messages that do not get through. The operator, or a firewall before it, may end the session because of one message. Any
 * message under way at that moment may be the reason, so each is submitted alone the next time. Other messages are refused, or
 * get no answer. A message is given up if this happens to it again and again while the operator takes others in between.
 * Thread-safe.
 */
final class Suspects {
    /** So many times the session breaks while a message is alone under way; then the message is given up. */
    static final int BREAKS_MAX = 3;

    /**
     * So many times a message is refused, and for at least {@link #REFUSED_NANOS}, before it is given up: networks behind the
     * operator may be down.
     */
    static final int REFUSALS_MAX = 20;

    static final long REFUSED_NANOS = TimeUnit.HOURS.toNanos(1);

    /** So many times a message gets no answer before it is given up. Few, because its receiver may get it each time. */
    static final int SILENCES_MAX = 5;

    /** Of so many messages the breaks are kept. The oldest are forgotten: another gateway may have forwarded them. */
    private static final int REMEMBERED_MAX = 1000;

    /** Of so many messages refusals and missing answers are counted. Further messages are not counted until some of these end. */
    private static final int FAILING_MAX = 50_000;

    /** A message that still waits here is tried again long before this time; one that was not is gone from this gateway. */
    private static final long TRIED_AGAIN_NANOS = TimeUnit.MINUTES.toNanos(10);

    private record Breaking(int breaks, long answered) {}

    /**
     * Refusals and missing answers.
     *
     * @param submits submits that had gone out at the last failure
     * @param since when it failed first
     * @param at when it failed last
     */
    private record Failing(int refusals, int silences, long submits, long since, long at) {
        Failing withoutSilences() {
            return new Failing(refusals, 0, submits, since, at);
        }
    }

    private final Answers answers;

    private final Map<EntryId, Breaking> breaking = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<EntryId, Breaking> eldest) {
            return size() > REMEMBERED_MAX;
        }
    };

    /** Messages given up. They stay here until they end: if telling their sender fails, they must not go out again. */
    private final Set<EntryId> givenUp = Collections.newSetFromMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<EntryId, Boolean> eldest) {
            return size() > REMEMBERED_MAX;
        }
    });

    /** The message that failed longest ago comes first. */
    private final Map<EntryId, Failing> failing = new LinkedHashMap<>(16, 0.75f, true);

    private long answered;

    Suspects(Answers answers) {
        this.answers = answers;
    }

    /** Returns whether this message is to be submitted alone. */
    synchronized boolean contains(EntryId id) {
        return breaking.containsKey(id);
    }

    /** Returns whether this message was given up. */
    synchronized boolean isGivenUp(EntryId id) {
        return givenUp.contains(id);
    }

    /** This message has come to an end. */
    synchronized void forget(EntryId id) {
        failing.remove(id);
        givenUp.remove(id);
        breaking.remove(id);
    }

    /** The operator took this message. */
    synchronized void taken(EntryId id) {
        answered++;
        forget(id);
    }

    /** The operator refused this message, for now perhaps. */
    synchronized void answered(EntryId id, Answers.Answer answer) {
        answered++;
        breaking.remove(id);
        // The answer to the latest submit came late, but it was a refusal, so the receiver did not get the message:
        // silences so far do not count.
        failing.computeIfPresent(
                id, (same, before) -> answer.submit() > before.submits() ? before : before.withoutSilences());
    }

    /** The operator refused this message; returns whether it is given up. */
    synchronized boolean refused(EntryId id, Answers.Answer answer, long now) {
        answered(id, answer);
        return failed(id, 1, 0, now);
    }

    /** The operator gave no answer, and the session stands; returns whether the message is given up. */
    synchronized boolean unanswered(EntryId id, long now) {
        breaking.remove(id);
        return failed(id, 0, 1, now);
    }

    private boolean failed(EntryId id, int refusals, int silences, long now) {
        Failing before = failing.get(id);
        if (before == null && !hasRoom(now)) {
            return false;
        }
        Failing after = new Failing(refusals, silences, answers.submits(), now, now);
        if (before != null) {
            // Counts only if the operator took a later submit: otherwise it may refuse every message, or this one waits
            // in its queue.
            int counts = answers.tookOneAfter(before.submits()) ? 1 : 0;
            after = new Failing(
                    before.refusals() + counts * refusals,
                    before.silences() + counts * silences,
                    answers.submits(),
                    before.since(),
                    now);
        }
        boolean refused = after.refusals() >= REFUSALS_MAX && now - after.since() >= REFUSED_NANOS;
        if (refused || after.silences() >= SILENCES_MAX) {
            failing.remove(id);
            givenUp.add(id);
            return true;
        }
        failing.put(id, after);
        return false;
    }

    private boolean hasRoom(long now) {
        if (failing.size() < FAILING_MAX) {
            return true;
        }
        Iterator<Failing> eldest = failing.values().iterator();
        boolean over = now - eldest.next().at() > TRIED_AGAIN_NANOS;
        if (over) {
            eldest.remove();
        }
        return over;
    }

    /** The session broke while this message was under way; returns whether it is given up. */
    synchronized boolean broke(EntryId id, boolean alone) {
        Breaking before = breaking.get(id);
        if (before == null || !alone) {
            breaking.putIfAbsent(id, new Breaking(0, answered));
            return false;
        }
        // Counts only if the operator answered others in between: otherwise it may break every session.
        int breaks = before.breaks() + (answered > before.answered() ? 1 : 0);
        if (breaks >= BREAKS_MAX) {
            breaking.remove(id);
            givenUp.add(id);
            return true;
        }
        breaking.put(id, new Breaking(breaks, answered));
        return false;
    }
}
