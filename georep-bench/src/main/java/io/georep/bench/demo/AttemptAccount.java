package io.georep.bench.demo;

import io.georep.bench.history.Event;
import io.georep.bench.history.History;
import io.georep.model.EntryId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What producers were told and what the consumer got, kept outside of the nodes, so that no kill loses it.
 *
 * <p>Every attempt to send has a number of its own, counted from 0, which its payload carries. So each entry that arrives at
 * the consumer can be compared with the answer that its producer got: an acknowledged attempt must arrive at least once and
 * under the acknowledged id, a rejected one never. Thread-safe.
 */
final class AttemptAccount {
    /**
     * The figures at one moment.
     *
     * @param attempted attempts to send
     * @param accepted attempts a node took: acknowledged, or without a sure answer
     * @param acknowledged attempts whose producer was told "stored"
     * @param rejected attempts refused with nothing stored
     * @param indeterminate attempts that ended without a sure answer
     * @param forwarded entries the consumer got, each counted once
     * @param duplicates entries the consumer got again under the same id
     * @param unexpected arrivals of what was never sent, or rejected
     * @param lost acknowledged entries the consumer did not get
     */
    record Summary(
            long attempted,
            long accepted,
            long acknowledged,
            long rejected,
            long indeterminate,
            long forwarded,
            long duplicates,
            long unexpected,
            long lost) {}

    /**
     * An acknowledged entry the consumer did not get.
     *
     * @param id its id
     * @param accident number of the last accident that began before it was acknowledged; 0 for none
     */
    record Missing(EntryId id, int accident) {}

    private enum Answer {
        NONE,
        ACKNOWLEDGED,
        REJECTED,
        INDETERMINATE
    }

    private static final String NO_FAULT = "none yet";
    private static final int FAULTS_MAX = 1000;

    private Answer[] answers = new Answer[1024];
    private @Nullable EntryId[] ids = new EntryId[1024];
    private boolean[] arrived = new boolean[1024];
    private int[] accidents = new int[1024];
    private final Map<String, Tally> tallies = new LinkedHashMap<>();
    private final List<Tally> byAccident = new ArrayList<>();
    private Tally now;
    private int attempts;
    private long rejected;
    private long indeterminate;
    private final List<String> faults = new ArrayList<>();
    private final History history;

    AttemptAccount() {
        this(History.none());
    }

    /** Tells a history of accidents. */
    AttemptAccount(History history) {
        this.history = history;
        now = new Tally(NO_FAULT);
        tallies.put(NO_FAULT, now);
        byAccident.add(now);
    }

    /** Opens an attempt and returns its number. */
    synchronized int open() {
        if (attempts == answers.length) {
            answers = Arrays.copyOf(answers, attempts * 2);
            ids = Arrays.copyOf(ids, attempts * 2);
            arrived = Arrays.copyOf(arrived, attempts * 2);
            accidents = Arrays.copyOf(accidents, attempts * 2);
        }
        now.attempted++;
        answers[attempts] = Answer.NONE;
        return attempts++;
    }

    /** The producer was told that f+1 copies are durable. */
    synchronized void acknowledged(long attempt, EntryId id) {
        if (answer(attempt, Answer.ACKNOWLEDGED)) {
            now.acknowledged++;
            accidents[(int) attempt] = byAccident.size() - 1;
            if (!arrived[(int) attempt]) {
                now.lost++;
            }
            identify(attempt, id);
        }
    }

    /** The producer was told that nothing was stored. */
    synchronized void rejected(long attempt) {
        if (answer(attempt, Answer.REJECTED)) {
            rejected++;
            if (arrived[(int) attempt]) {
                now.unexpected++;
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
            now.unexpected++;
            fault("entry " + id + " arrived with a payload nobody sent");
            return;
        }
        int index = (int) attempt;
        identify(attempt, id);
        if (answers[index] == Answer.REJECTED) {
            now.unexpected++;
            fault("attempt " + attempt + " was rejected and forwarded all the same, as " + id);
        }
        if (arrived[index]) {
            now.duplicates++;
            return;
        }
        arrived[index] = true;
        now.forwarded++;
        if (answers[index] == Answer.ACKNOWLEDGED) {
            byAccident.get(accidents[index]).lost--;
        }
    }

    /** The figures now. */
    synchronized Summary summary() {
        long acknowledged = sum(tally -> tally.acknowledged);
        return new Summary(
                attempts,
                acknowledged + indeterminate,
                acknowledged,
                rejected,
                indeterminate,
                sum(tally -> tally.forwarded),
                sum(tally -> tally.duplicates),
                sum(tally -> tally.unexpected),
                sum(tally -> tally.lost));
    }

    /** Something happens: all that follows counts under it, until something else happens. */
    synchronized void during(int accident, String fault) {
        history.add(new Event.Accident(history.now(), accident, fault));
        now = tallies.computeIfAbsent(fault, Tally::new);
        now.times++;
        while (byAccident.size() <= accident) {
            byAccident.add(now);
        }
    }

    /** The account by the kind of accident that was the latest, in the order in which the kinds happened first. */
    synchronized List<Tally> byFault() {
        return tallies.values().stream().map(Tally::copy).toList();
    }

    /** Acknowledged entries the consumer did not get, at most so many. */
    synchronized List<Missing> missing(int max) {
        List<Missing> missing = new ArrayList<>();
        for (int i = 0; i < attempts && missing.size() < max; i++) {
            if (answers[i] == Answer.ACKNOWLEDGED && !arrived[i]) {
                missing.add(new Missing(Objects.requireNonNull(ids[i]), accidents[i]));
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

    /** Contradictions found so far, in words; not more than 1000. */
    synchronized List<String> faults() {
        return List.copyOf(faults);
    }

    private long sum(ToLongFunction<Tally> figure) {
        return tallies.values().stream().mapToLong(figure).sum();
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
