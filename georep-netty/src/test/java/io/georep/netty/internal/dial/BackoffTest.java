package io.georep.netty.internal.dial;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BackoffTest {
    private final Backoff backoff = new Backoff(100, 1000, new SplittableRandom(1));

    @Test
    void doublesUpToTheLongest() {
        long[] steps = {100, 200, 400, 800, 1000, 1000, 1000};
        for (long step : steps) {
            assertThat(backoff.next()).isBetween(step / 2, step);
        }
    }

    @Test
    void startsAgainAfterReset() {
        backoff.next();
        backoff.next();
        backoff.next();

        backoff.reset();

        assertThat(backoff.next()).isBetween(50L, 100L);
    }

    @Test
    void sameSeedGivesSamePauses() {
        Backoff twin = new Backoff(100, 1000, new SplittableRandom(1));
        for (int i = 0; i < 10; i++) {
            assertThat(twin.next()).isEqualTo(backoff.next());
        }
    }

    @Test
    void longestPauseDoesNotOverflow() {
        Backoff large = new Backoff(1, Long.MAX_VALUE, new SplittableRandom(1));
        for (int i = 0; i < 100; i++) {
            assertThat(large.next()).isNotNegative();
        }
    }
}
