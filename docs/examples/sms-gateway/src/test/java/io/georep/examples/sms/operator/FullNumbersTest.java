package io.georep.examples.sms.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class FullNumbersTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final FullNumbers numbers = new FullNumbers();

    @Test
    void oneMessageTriesAfterEachPauseAndPausesDouble() {
        numbers.full("31", 0);
        numbers.full("31", SECOND / 2);
        long now = 0;
        for (int pause : new int[] {1, 2, 4, 8, 16, 32, 60, 60}) {
            now += pause * SECOND;
            assertThat(numbers.mayTry("31", now - 1)).isFalse();
            assertThat(numbers.mayTry("31", now)).isTrue();
            assertThat(numbers.mayTry("31", now)).as("one is enough").isFalse();
            numbers.full("31", now);
        }
        assertThat(numbers.mayTry("32", now)).isTrue();
    }

    @Test
    void allMayTryWhenOneWasTaken() {
        numbers.full("31", 0);
        assertThat(numbers.mayTry("31", SECOND)).isTrue();
        numbers.accepted("31");

        assertThat(numbers.mayTry("31", SECOND)).isTrue();
        assertThat(numbers.mayTry("31", SECOND)).isTrue();
        numbers.full("31", SECOND);
        assertThat(numbers.mayTry("31", 2 * SECOND))
                .as("the shortest pause again")
                .isTrue();
    }

    @Test
    void onlySoManyAreRemembered() {
        for (int i = 0; i <= FullNumbers.REMEMBERED_MAX; i++) {
            numbers.full("31" + i, 0);
        }

        assertThat(numbers.mayTry("310", 0)).as("the first is forgotten").isTrue();
        assertThat(numbers.mayTry("311", 0)).isFalse();
    }
}
