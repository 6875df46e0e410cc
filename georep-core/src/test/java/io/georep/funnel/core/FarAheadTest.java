package io.georep.funnel.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.MapsStatistics;
import io.georep.funnel.core.messages.FunnelMessages;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** One write of a head is not committed, and a million later ones of other keys are. */
class FarAheadTest extends ThreeNodes {
    private static final int AT_ONCE = 8192;

    private void puts(int count) {
        for (int i = 0; i < count; i++) {
            a.put("k" + i % 100, "v");
        }
        nodes.run();
        nodes.all.values().forEach(node -> node.turn.forget());
    }

    private MapsStatistics statistics() {
        return a.context().figures.with(a.context());
    }

    /** b misses it. Whoever refused later ones as impossible would close the link over which it comes. */
    @Test
    void whatIsTooFarAheadOfTheOldestWriteWaitsAtItsHead() {
        nodes.grant(ABC);
        AtomicBoolean isLost = new AtomicBoolean();
        nodes.delivers = sent ->
                sent.type() != FunnelMessages.DATA || !sent.to().equals(b.id) || !isLost.compareAndSet(false, true);
        a.put("missed", "v");
        nodes.run();
        for (int made = 0;
                made < HeadLog.AHEAD_MAX + 2 * AT_ONCE && statistics().rejected() == 0;
                made += AT_ONCE) {
            puts(AT_ONCE);
        }
        assertThat(b.context().progress.applied().commit())
                .as("commits without that one")
                .isBetween(HeadLog.AHEAD_MAX / 2L, HeadLog.AHEAD_MAX - 1L);
        assertThat(a.context().writes.size()).as("the others are not under way").isEqualTo(1);

        nodes.pass(Duration.ofSeconds(2), ABC);
        assertThat(a.context().own.count()).isZero();
        puts(10);
        nodes.assertSame("a", "b", "c");
        assertThat(a.context().own.count()).isZero();
        assertThat(statistics().indeterminate()).isZero();
    }
}
