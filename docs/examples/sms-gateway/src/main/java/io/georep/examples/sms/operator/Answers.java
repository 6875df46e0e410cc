package io.georep.examples.sms.operator;

import io.georep.model.EntryId;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the operator answered, by message, until whoever submits the message takes note of it: an answer may come after the
 * time for it is over, and the message must not be submitted again and again for that. Thread-safe.
 */
final class Answers {
    /** Those before are forgotten: their messages were forwarded, perhaps by another gateway. */
    private static final int REMEMBERED_MIN = 1000;

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

    /** Of all sessions. */
    private long submits;

    /** The number of the latest submit that the operator has taken. */
    private long taken;

    /** When a submit got no answer in time, and none has got one since; 0 for never. */
    private long muteSince;

    /**
     * Nothing is answered yet.
     *
     * @param window most submits under way at a time
     */
    Answers(int window) {
        remembered = Math.max(REMEMBERED_MIN, 2 * window);
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

    /** The answer to this message, which is forgotten with this; null for none. That it is taken counts, else the first. */
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

    /** A submit got no answer in time. */
    synchronized void missing() {
        muteSince = muteSince == 0 ? System.nanoTime() | 1 : muteSince;
    }

    /** Whether the operator has answered no submit of the session for so long, although there were some. */
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
