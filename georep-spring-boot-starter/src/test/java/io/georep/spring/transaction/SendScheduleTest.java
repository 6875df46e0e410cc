package io.georep.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.georep.spring.transaction.SendSchedule.Kind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * Up to three producers with one key: every order of their steps, for every choice of what they do. Whoever was told that its send
 * succeeded, and committed if it had a transaction, has an entry that is delivered; whoever rolled back left nothing.
 */
class SendScheduleTest {
    private final Logger log = (Logger) LoggerFactory.getLogger(HeldSends.class);

    /** Each schedule with an unknown outcome says so. */
    @BeforeEach
    void quiet() {
        log.setLevel(Level.OFF);
    }

    @AfterEach
    void loud() {
        log.setLevel(null);
    }

    @Test
    void nothingIsLostInAnyOrderOfSteps() {
        List<Kind> three = List.of(Kind.PLAIN, Kind.PLAIN_REFUSED, Kind.COMMITS, Kind.COMMITS_REFUSED, Kind.ROLLS_BACK);
        long schedules = 0;
        for (Kind a : three) {
            for (Kind b : three.subList(three.indexOf(a), three.size())) {
                for (Kind c : three.subList(three.indexOf(b), three.size())) {
                    schedules += explore(a, b, c);
                }
            }
        }
        assertThat(schedules).isGreaterThan(10_000);
    }

    @Test
    void nothingIsLostByTwoWhateverTheyDo() {
        long schedules = 0;
        for (Kind a : Kind.values()) {
            for (Kind b : Kind.values()) {
                schedules += explore(a, b);
            }
        }
        assertThat(schedules).isGreaterThan(2_000);
    }

    @Test
    void nothingIsLostBesideATransactionThatRepeatsItsSend() {
        long schedules = explore(Kind.REPEATS_AFTER_SAVEPOINT, Kind.PLAIN, Kind.COMMITS);

        assertThat(schedules).isGreaterThan(4_000);
    }

    private static long explore(Kind... kinds) {
        return explore(kinds, new ArrayList<>(), new int[kinds.length]);
    }

    private static long explore(Kind[] kinds, List<Integer> order, int[] next) {
        long schedules = 0;
        boolean complete = true;
        for (int i = 0; i < kinds.length; i++) {
            if (next[i] < kinds[i].steps.size()) {
                complete = false;
                next[i]++;
                order.add(i);
                schedules += explore(kinds, order, next);
                order.remove(order.size() - 1);
                next[i]--;
            }
        }
        if (complete) {
            try {
                new SendSchedule(kinds).play(order);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(List.of(kinds) + " in the order " + order + ": " + e.getMessage(), e);
            }
            return 1;
        }
        return schedules;
    }
}
