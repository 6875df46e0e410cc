package io.georep.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.SoloNode;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Times that no clock reaches: refused where they are set, or for ever. */
@Timeout(60)
class SendOptionsTest extends SoloNode {
    @Test
    void delaysThatNobodyLivesToSeeAreRefusedWhereTheyAreSet() {
        assertThatThrownBy(() -> SendOptions.defaults().delay(Duration.ofSeconds(Long.MAX_VALUE)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("delay is");
        assertThatThrownBy(() -> SendOptions.defaults().delay(Duration.ofMillis(1L << 61)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> SendOptions.defaults().notBefore(Instant.MAX))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("notBefore is");
    }

    @Test
    void aTimeToLiveWithoutEndIsForEver() throws Exception {
        outbox.forward(taken::add);
        outbox.sendAndWait("a", LONG);
        next();

        for (Duration life : new Duration[] {Duration.ofSeconds(Long.MAX_VALUE), Duration.ofMillis(1L << 62)}) {
            outbox.send("b", SendOptions.defaults().timeToLive(life));
            assertThat(next().payload()).isEqualTo("b");
        }
    }

    @Test
    void aTimeLongPastIsNoDelay() throws Exception {
        outbox.forward(taken::add);

        outbox.send("a", SendOptions.defaults().notBefore(Instant.MIN));

        assertThat(next().payload()).isEqualTo("a");
    }

    @Test
    void theLongestDelayIsKept() throws Exception {
        outbox.forward(taken::add);

        outbox.send("a", SendOptions.defaults().delay(Duration.ofDays(365_000)));

        awaitParked(1);
        assertThat(outbox.statistics().deadLettered()).isZero();
    }
}
