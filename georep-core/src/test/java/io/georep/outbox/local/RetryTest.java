package io.georep.outbox.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.ConfigurationException;
import io.georep.outbox.Retry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RetryTest {
    private final SplittableRandom random = new SplittableRandom(7);

    @Test
    void exponentialGrowsUpToItsMaximum() {
        Retry retry = Retry.exponential(Duration.ofSeconds(1), Duration.ofSeconds(10), 3);

        assertThat(retry.delay(1, random)).isEqualTo(Duration.ofSeconds(1));
        assertThat(retry.delay(2, random)).isEqualTo(Duration.ofSeconds(3));
        assertThat(retry.delay(3, random)).isEqualTo(Duration.ofSeconds(9));
        assertThat(retry.delay(4, random)).isEqualTo(Duration.ofSeconds(10));
        assertThat(retry.delay(1_000_000, random)).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void jitterStaysWithinItsPartAndIsRepeatable() {
        Retry retry = Retry.fixed(Duration.ofSeconds(10)).jitter(0.2);

        for (int i = 0; i < 1000; i++) {
            assertThat(retry.delay(1, random)).isBetween(Duration.ofSeconds(8), Duration.ofSeconds(12));
        }
        assertThat(retry.delay(1, new SplittableRandom(3))).isEqualTo(retry.delay(1, new SplittableRandom(3)));
    }

    @Test
    void triesForEverUnlessTold() {
        assertThat(Retry.defaults().again(1_000_000, new IOException())).isTrue();
        assertThat(Retry.fixed(Duration.ZERO).attempts(3).again(2, new IOException()))
                .isTrue();
        assertThat(Retry.fixed(Duration.ZERO).attempts(3).again(3, new IOException()))
                .isFalse();
        assertThat(Retry.none().again(1, new IOException())).isFalse();
    }

    @Test
    void classesDecideWhatIsHopeless() {
        Retry retry = Retry.defaults().retryOn(IOException.class).neverOn(java.io.FileNotFoundException.class);

        assertThat(retry.again(1, new IOException())).isTrue();
        assertThat(retry.again(1, new java.io.FileNotFoundException())).isFalse();
        assertThat(retry.again(1, new UncheckedIOException(new IOException()))).isFalse();
    }

    @Test
    void refusesImpossibleNumbersByName() {
        assertThatThrownBy(() -> Retry.fixed(Duration.ofSeconds(-1)))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("retry delays");
        assertThatThrownBy(() -> Retry.exponential(Duration.ofSeconds(1), Duration.ofSeconds(2), 0.5))
                .hasMessageContaining("factor is 0.5");
        assertThatThrownBy(() -> Retry.defaults().jitter(1.5)).hasMessageContaining("jitter is 1.5");
        assertThatThrownBy(() -> Retry.defaults().attempts(0)).hasMessageContaining("attempts is 0");
    }
}
