package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The simulation for as long as wanted: {@code -Dduration=PT30M} (until stopped without it) from {@code -Dseed=…} on
 * (any, without it).
 */
@Tag("soak")
class SoakTest {
    private static final long FOREVER_NANOS = Long.MAX_VALUE / 2;

    @Test
    void keepsAllPromises() throws InterruptedException {
        long first = Long.getLong("seed", System.currentTimeMillis() * 1_000_000);
        String duration = System.getProperty("duration");
        long nanos = duration == null ? FOREVER_NANOS : Duration.parse(duration).toNanos();
        System.out.println("soak from seed " + first + (duration == null ? "" : " for " + duration));

        long succeeded = Runs.run(first, Long.MAX_VALUE / 4, System.nanoTime() + nanos, Swarm::mixed)
                .runs();

        System.out.println(succeeded + " runs");
        assertThat(succeeded).isPositive();
    }
}
