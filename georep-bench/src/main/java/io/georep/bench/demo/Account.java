package io.georep.bench.demo;

import io.georep.model.EntryId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What producers were told and what the consumer got, kept where no kill of a node can reach it.
 *
 * <p>Every attempt to send has a number of its own, counted from 0, which its payload carries. So each entry that
 * arrives at the consumer can be held against the answer its producer got: an acknowledged attempt must arrive at least
 * once and under the acknowledged id, a rejected one never. Thread-safe.
 */
final class Account {
    /**
     * The figures at one moment.
     *
     * @param accepted attempts a node took: acknowledged, or without a sure answer
     * @param acknowledged attempts whose producer was told "stored"
     * @param rejected attempts refused with nothing stored
     * @param indeterminate attempts that ended without a sure answer
     * @param forwarded entries the consumer got, each counted once
     * @param duplicates entries the consumer got again under the same id
     * @param lost acknowledged entries the consumer did not get
     */
    record Summary(
            long accepted,
            long acknowledged,
            long rejected,
            long indeterminate,
            long forwarded,
            long duplicates,
            long lost) {}

    private enum Answer {
        NONE,
        ACKNOWLEDGED,
        REJECTED,
        INDETERMINATE
    }

    private static final int FAULTS_MAX = 20;

    private Answer[] answers = new Answer[1024];
    private @Nullable EntryId[] ids = new EntryId[1024];
    private boolean[] arrived = new boolean[1024];
    private int attempts;
    private long acknowledged;
    private long rejected;
    private long indeterminate;
    private long forwarded;
    private long duplicates;
    private long lost;
    private final List<String> faults = new ArrayList<>();

    /** Opens an attempt and answers its number. */
    synchronized int open() {
        if (attempts == answers.length) {
            answers = Arrays.copyOf(answers, attempts * 2);
            ids = Arrays.copyOf(ids, attempts * 2);
            arrived = Arrays.copyOf(arrived, attempts * 2);
        }
        answers[attempts] = Answer.NONE;
        return attempts++;
    }

    /** The producer was told that f+1 copies are durable. */
    synchronized void acknowledged(long attempt, EntryId id) {
        if (answer(attempt, Answer.ACKNOWLEDGED)) {
            acknowledged++;
            if (!arrived[(int) attempt]) {
                lost++;
            }
            identify(attempt, id);
        }
    }

    /** The producer was told that nothing was stored. */
    synchronized void rejected(long attempt) {
        if (answer(attempt, Answer.REJECTED)) {
            rejected++;
            if (arrived[(int) attempt]) {
                fault("attempt " + attempt + " was rejected and forwarded all the same");
            }
        }
    }

    /** The producer got no sure answer. */
    synchronized void indeterminate(long attempt) {
        if (answer(attempt, Answer.INDETERMINATE)) {
            indeterminate++;
        }
    }

    /** The consumer took an entry. */
    synchronized void forwarded(EntryId id, byte[] payload) {
        long attempt = Payloads.attempt(payload);
        if (attempt < 0 || attempt >= attempts) {
            fault("entry " + id + " arrived with a payload nobody sent");
            return;
        }
        int index = (int) attempt;
        identify(attempt, id);
        if (answers[index] == Answer.REJECTED) {
            fault("attempt " + attempt + " was rejected and forwarded all the same, as " + id);
        }
        if (arrived[index]) {
            duplicates++;
            return;
        }
        arrived[index] = true;
        forwarded++;
        if (answers[index] == Answer.ACKNOWLEDGED) {
            lost--;
        }
    }

    /** The figures now. */
    synchronized Summary summary() {
        return new Summary(
                acknowledged + indeterminate, acknowledged, rejected, indeterminate, forwarded, duplicates, lost);
    }

    /** Ids of acknowledged entries the consumer did not get, at most so many. */
    synchronized List<EntryId> missing(int max) {
        List<EntryId> missing = new ArrayList<>();
        for (int i = 0; i < attempts && missing.size() < max; i++) {
            if (answers[i] == Answer.ACKNOWLEDGED && !arrived[i]) {
                missing.add(Objects.requireNonNull(ids[i]));
            }
        }
        return missing;
    }

    /** Acknowledged entries of one origin the consumer did not get yet. */
    synchronized long missingOf(String origin) {
        long count = 0;
        for (int i = 0; i < attempts; i++) {
            EntryId id = ids[i];
            if (answers[i] == Answer.ACKNOWLEDGED
                    && !arrived[i]
                    && id != null
                    && id.origin().value().equals(origin)) {
                count++;
            }
        }
        return count;
    }

    /** Contradictions found so far, in words; not more than 20. */
    synchronized List<String> faults() {
        return List.copyOf(faults);
    }

    private boolean answer(long attempt, Answer answer) {
        int index = (int) attempt;
        if (attempt < 0 || attempt >= attempts || answers[index] != Answer.NONE) {
            fault("attempt " + attempt + " was answered " + answer + " but was not open");
            return false;
        }
        answers[index] = answer;
        return true;
    }

    private void identify(long attempt, EntryId id) {
        EntryId known = ids[(int) attempt];
        if (known == null) {
            ids[(int) attempt] = id;
        } else if (!known.equals(id)) {
            fault("attempt " + attempt + " is " + known + " to one and " + id + " to another");
        }
    }

    private void fault(String text) {
        if (faults.size() < FAULTS_MAX) {
            faults.add(text);
        }
    }
}
