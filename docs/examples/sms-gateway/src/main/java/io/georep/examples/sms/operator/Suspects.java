package io.georep.examples.sms.operator;

import io.georep.model.EntryId;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
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

    /** How often a message is refused before it is given up: pauses between attempts make that some minutes. */
    static final int FAILURES_MAX = 20;

    /** No answer counts for so many refusals: each time whoever it is for may have got the message once more. */
    private static final int NO_ANSWER = 4;

    /** Those that were under way longest ago are forgotten: another gateway may have forwarded them. */
    private static final int BREAKING_MAX = 1000;

    /** Further ones are not counted until some of these have come to an end. */
    private static final int FAILING_MAX = 50_000;

    /** Whatever waits here is tried again long before this. */
    private static final long TRIED_AGAIN_NANOS = TimeUnit.MINUTES.toNanos(10);

    private record Breaking(int breaks, long answered) {}

    /** Submits had gone out when it failed last. */
    private record Failing(int failures, long submits, long at) {}

    private final Answers answers;

    private final Map<EntryId, Breaking> breaking = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<EntryId, Breaking> eldest) {
            return size() > BREAKING_MAX;
        }
    };

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

    /** The operator took this message. */
    synchronized void taken(EntryId id) {
        failing.remove(id);
        stands(id);
    }

    /** The operator refused this message; returns whether the message is the reason. */
    synchronized boolean refused(EntryId id, long now) {
        stands(id);
        return failed(id, 1, now);
    }

    /** The operator gave no answer, and the session stands; returns whether the message is the reason. */
    synchronized boolean unanswered(EntryId id, long now) {
        breaking.remove(id);
        return failed(id, NO_ANSWER, now);
    }

    /** The operator answered, and the session stands. */
    synchronized void stands(EntryId id) {
        answered++;
        breaking.remove(id);
    }

    private boolean failed(EntryId id, int weight, long now) {
        Failing before = failing.get(id);
        if (before == null && !hasRoom(now)) {
            return false;
        }
        // If it took none that was submitted later, it may refuse every message, or this one waits in its queue.
        boolean counts = before == null || answers.tookOneAfter(before.submits());
        int failures = (before == null ? 0 : before.failures()) + (counts ? weight : 0);
        if (failures >= FAILURES_MAX) {
            failing.remove(id);
            return true;
        }
        failing.put(id, new Failing(failures, answers.submits(), now));
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
            return true;
        }
        breaking.put(id, new Breaking(breaks, answered));
        return false;
    }
}
