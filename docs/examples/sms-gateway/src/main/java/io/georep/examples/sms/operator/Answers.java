package io.georep.examples.sms.operator;

import io.georep.model.EntryId;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the operator answered, by message, until whoever submits the message takes note of it: an answer may come after the
 * time for it is over, and the message must not be submitted again and again for that. Thread-safe.
 */
final class Answers {
    /** Those before are forgotten: their messages were forwarded, perhaps by another gateway. */
    private static final int REMEMBERED_MAX = 1000;

    /**
     * An answer to a submit.
     *
     * @param messageId the operator's, empty if it gave none
     */
    record Answer(int status, String messageId) {}

    private record Submit(EntryId id, long number) {}

    private final Map<EntryId, Answer> given = bounded();

    /** Of all sessions. */
    private long submits;

    /** The number of the latest submit that the operator has taken. */
    private long taken;

    private final Runnable heard;

    /**
     * Nothing is answered yet.
     *
     * @param heard is told of each answer to a submit of the session
     */
    Answers(Runnable heard) {
        this.heard = heard;
    }

    private static <K, V> Map<K, V> bounded() {
        return new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > REMEMBERED_MAX;
            }
        };
    }

    /** The answer to this message that came last, and is forgotten with this; null for none. */
    synchronized @Nullable Answer take(EntryId id) {
        return given.remove(id);
    }

    /** How many submits went out so far. */
    synchronized long submits() {
        return submits;
    }

    /** Whether the operator took a submit that went out after so many others. */
    synchronized boolean tookOneAfter(long others) {
        return taken > others;
    }

    private synchronized void give(Submit submit, Answer answer) {
        if (answer.status == 0) {
            taken = Math.max(taken, submit.number);
        }
        given.merge(submit.id, answer, (before, now) -> before.status == 0 ? before : now);
    }

    private synchronized Submit next(EntryId id) {
        return new Submit(id, ++submits);
    }

    /** The submits of one session. */
    final class Session {
        /** By sequence number. Guarded by this. */
        private final Map<Integer, Submit> unanswered = bounded();

        /** This message goes out with this number. */
        synchronized void submitted(int sequenceNumber, EntryId id) {
            unanswered.put(sequenceNumber, next(id));
        }

        /** The operator answers. */
        void answered(int sequenceNumber, Answer answer) {
            Submit submit;
            synchronized (this) {
                submit = unanswered.remove(sequenceNumber);
            }
            if (submit != null) {
                heard.run();
                give(submit, answer);
            }
        }
    }
}
