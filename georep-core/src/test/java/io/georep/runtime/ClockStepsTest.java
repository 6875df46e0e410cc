package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.ProtocolConfig;
import io.georep.protocol.FixedMembership;
import io.georep.runtime.ClockSteps.Stepped;
import io.georep.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A node tells that its wall clock was set. */
class ClockStepsTest {
    private static final NodeIdentity SELF = new NodeIdentity(NodeId.of("a"), 1, 1, 1, "a:1", "");

    /** Below zero, as the monotonic clock may be. */
    private long nanos = -Duration.ofHours(3).toNanos();

    private long wallMillis = 1_700_000_000_000L;
    private final List<Object> told = new ArrayList<>();
    private final NodeLoop loop = new NodeLoop(
            new IdleStore(),
            StoreWatch.Limits.of(ProtocolConfig.defaults()),
            new IdleTransport(),
            new Ticker() {
                @Override
                public long nanos() {
                    return nanos;
                }

                @Override
                public long wallMillis() {
                    return wallMillis;
                }
            },
            new SplittableRandom(1),
            new FixedMembership(SELF, Map.of()),
            List.of(),
            told::addAll);

    private void pass(Duration time, Duration onTheWall) {
        nanos += time.toNanos();
        wallMillis += onTheWall.toMillis();
        loop.turn(List.of());
    }

    @Test
    void aStepIsToldOnceWithItsSize() {
        pass(Duration.ZERO, Duration.ZERO);
        pass(Duration.ofSeconds(1), Duration.ofHours(1).plusSeconds(1));
        pass(Duration.ofSeconds(1), Duration.ofSeconds(1));

        assertThat(told).containsExactly(new Stepped(3_600_000));

        pass(Duration.ofSeconds(1), Duration.ofSeconds(-1200));
        assertThat(told).last().isEqualTo(new Stepped(-1_201_000));
    }

    /** A turn that took long, and clocks of unlike speeds, are no step. */
    @Test
    void timeThatPassesOnBothClocksIsNoStep() {
        pass(Duration.ZERO, Duration.ZERO);
        pass(Duration.ofHours(5), Duration.ofHours(5));
        for (int i = 0; i < 1000; i++) {
            pass(Duration.ofSeconds(1), Duration.ofMillis(1100));
        }
        pass(Duration.ofSeconds(1), Duration.ofSeconds(61));

        assertThat(told).isEmpty();
    }
}
