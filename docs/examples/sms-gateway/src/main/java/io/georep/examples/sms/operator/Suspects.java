package io.georep.examples.sms.operator;

import io.georep.model.EntryId;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Messages that do not get through. The operator, or what stands before it, may end the session because of one of them: those
 * under way when it broke are submitted alone the next time, because it may be any. Others are refused, or get no answer. A
 * message at which this happens again and again, while the operator takes others that are submitted in between, is the reason.
 * Thread-safe.
 */
final class Suspects {
    /** How often the session breaks at a message that is alone before it is given up. */
    static final int BREAKS_MAX = 3;

    /** How often a message is refused before it is given up, and how long at least: what is behind the operator may be down. */
    static final int REFUSALS_MAX = 20;

    static final long REFUSED_NANOS = TimeUnit.HOURS.toNanos(1);

    /** How often it gets no answer before it is given up: each time whoever it is for may have got it once more. */
    static final int SILENCES_MAX = 5;

    /** Those that were under way longest ago are forgotten: another gateway may have forwarded them. */
    private static final int REMEMBERED_MAX = 1000;

    /** Further ones are not counted until some of these have come to an end. */
    private static final int FAILING_MAX = 50_000;

    /** Whatever waits here is tried again long before this. */
    private static final long TRIED_AGAIN_NANOS = TimeUnit.MINUTES.toNanos(10);

    private record Breaking(int breaks, long answered) {}

    /**
     * Refusals and missing answers.
     *
     * @param submits so many had gone out at the last one
     * @param since the first one
     * @param at the last one
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

    /** Those whose sender is yet to be told, perhaps: this may fail, and they must not go out again for it. */
    private final Set<EntryId> givenUp = Collections.newSetFromMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<EntryId, Boolean> eldest) {
            return size() > REMEMBERED_MAX;
        }
    });

    /** The one that failed longest ago first. */
    private final Map<EntryId, Failing> failing = new LinkedHashMap<>(16, 0.75f, true);

    private long answered;

    Suspects(Answers answers) {
        this.answers = answers;
    }

    /** Whether it is to be submitted alone. */
    synchronized boolean contains(EntryId id) {
        return breaking.containsKey(id);
    }

    /** Whether this message was the reason. */
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
        // It gave answers, after their time: who the message is for did not get it.
        failing.computeIfPresent(
                id, (same, before) -> answer.submit() > before.submits() ? before : before.withoutSilences());
    }

    /** The operator refused this message; returns whether the message is the reason. */
    synchronized boolean refused(EntryId id, Answers.Answer answer, long now) {
        answered(id, answer);
        return failed(id, 1, 0, now);
    }

    /** The operator gave no answer, and the session stands; returns whether the message is the reason. */
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
            // If it took none that was submitted later, it may refuse every message, or this one waits in its queue.
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

    /** The session broke while this message was under way; returns whether the message is the reason. */
    synchronized boolean broke(EntryId id, boolean alone) {
        Breaking before = breaking.get(id);
        if (before == null || !alone) {
            breaking.putIfAbsent(id, new Breaking(0, answered));
            return false;
        }
        // If nothing else got through since the last time, the operator may break every session.
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
