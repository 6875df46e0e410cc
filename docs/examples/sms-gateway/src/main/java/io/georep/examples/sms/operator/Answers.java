package io.georep.examples.sms.operator;

import io.georep.examples.sms.SmsProperties;
import io.georep.model.EntryId;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the operator's answers, by message, until the submitter takes them. An answer may come after the submit timed out; the
 * next attempt then finds it here instead of submitting again. Thread-safe.
 */
final class Answers {
    /** At least so many answers are kept. Older ones are forgotten: their messages were forwarded, perhaps by another gateway. */
    private static final int REMEMBERED_MIN = 1000;

    private static final int REMEMBERED_MAX = 1_000_000;

    /**
     * An answer to a submit.
     *
     * @param messageId the operator's, empty if it gave none
     * @param submit number of the submit
     */
    record Answer(int status, String messageId, long submit) {}

    private record Submit(EntryId id, long number) {}

    private final int remembered;
    private final Map<EntryId, Answer> given = bounded();

    /** How many submits went out, over all sessions. */
    private long submits;

    /** The number of the latest submit that the operator has taken. */
    private long taken;

    /** Since when no submit has been answered although one timed out; 0 if the last one was answered. */
    private long muteSince;

    /** Nothing is answered yet. */
    Answers(SmsProperties.Operator properties) {
        this(unanswered(properties));
    }

    /**
     * Nothing is answered yet.
     *
     * @param unanswered most submits without an answer that one session may have
     */
    Answers(int unanswered) {
        remembered = Math.max(REMEMBERED_MIN, unanswered);
    }

    /** A window for each time that an answer may take, until a session without answers ends. */
    private static int unanswered(SmsProperties.Operator properties) {
        long timeouts = properties.enquireLink().toMillis()
                / Math.max(1, properties.responseTimeout().toMillis());
        return (int) Math.min(REMEMBERED_MAX, (2 + timeouts) * properties.window());
    }

    private <K, V> Map<K, V> bounded() {
        return new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > remembered;
            }
        };
    }

    /**
     * Removes and returns the answer to this message; null for none. If there were several, one that accepts counts, otherwise
     * the first.
     */
    synchronized @Nullable Answer take(EntryId id) {
        return given.remove(id);
    }

    /** How many submits went out so far. */
    synchronized long submits() {
        return submits;
    }

    /** Returns whether the operator took a submit that went out after so many others. */
    synchronized boolean tookOneAfter(long others) {
        return taken > others;
    }

    /** A submit got no answer in time. */
    synchronized void missing() {
        muteSince = muteSince == 0 ? System.nanoTime() | 1 : muteSince;
    }

    /** Returns whether for so long the operator has answered no submit, although there were some. */
    synchronized boolean isMute(Duration time) {
        return muteSince != 0 && System.nanoTime() - muteSince > time.toNanos();
    }

    private synchronized void give(EntryId id, Answer answer) {
        muteSince = 0;
        if (answer.status == 0) {
            taken = Math.max(taken, answer.submit);
        }
        given.merge(id, answer, (before, now) -> before.status == 0 || now.status != 0 ? before : now);
    }

    private synchronized void begin() {
        muteSince = 0;
    }

    private synchronized Submit next(EntryId id) {
        return new Submit(id, ++submits);
    }

    /** The submits of one session. */
    final class Session {
        /** By sequence number. Guarded by this. */
        private final Map<Integer, Submit> unanswered = bounded();

        Session() {
            begin();
        }

        /** This message goes out with this number. */
        synchronized void submitted(int sequenceNumber, EntryId id) {
            unanswered.put(sequenceNumber, next(id));
        }

        /** Numbers of submits without an answer. */
        synchronized List<Integer> unanswered() {
            return List.copyOf(unanswered.keySet());
        }

        /** The operator answers; returns whether this is the number of a submit without an answer. */
        boolean answered(int sequenceNumber, int status, String messageId) {
            Submit submit;
            synchronized (this) {
                submit = unanswered.remove(sequenceNumber);
            }
            if (submit != null) {
                give(submit.id, new Answer(status, messageId, submit.number));
            }
            return submit != null;
        }
    }
}
