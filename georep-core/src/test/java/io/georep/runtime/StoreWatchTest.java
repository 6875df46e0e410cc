package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.StoreException;
import io.georep.model.StoreState;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Stalled after 8 s, given up after 80 s, behind at 1000 bytes; a turn every second. */
class StoreWatchTest {
    private static final long SECOND = 1_000_000_000L;

    private final StoreWatch watch = new StoreWatch(
            new StoreWatch.Limits(Duration.ofSeconds(8), Duration.ofSeconds(80), 1000, Duration.ofSeconds(400)));
    private long now = Long.MIN_VALUE / 2;

    private StoreState afterSeconds(int seconds) {
        StoreState state = turn();
        for (int i = 0; i < seconds; i++) {
            now += SECOND;
            state = turn();
        }
        return state;
    }

    private StoreState turn() {
        watch.look(now);
        return watch.judge();
    }

    @Test
    void anIdleStoreOwesNothing() {
        assertThat(afterSeconds(1000)).isEqualTo(StoreState.READY);
        assertThat(watch.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
    }

    /** Whoever wants no bound says so with the largest number there is, or with half of it. */
    @Test
    void boundsBeyondAllMeasureBoundNothing() {
        for (long max : new long[] {Long.MAX_VALUE, Long.MAX_VALUE / 2, Long.MAX_VALUE / 4}) {
            StoreWatch unbounded = new StoreWatch(
                    new StoreWatch.Limits(Duration.ofSeconds(8), Duration.ofSeconds(80), max, Duration.ofSeconds(400)));
            unbounded.submitted(1L << 40, 1L << 40, true);

            assertThat(unbounded.isOverfull()).as("backlog of %s", max).isFalse();
            assertThat(unbounded.judge()).isEqualTo(StoreState.READY);
        }
    }

    @Test
    void isStalledWhenNothingWasAnsweredForLong() {
        watch.submitted(10, 0, true);
        assertThat(afterSeconds(7)).isEqualTo(StoreState.READY);
        assertThat(watch.nextDeadlineNanos()).isEqualTo(now + SECOND);

        assertThat(afterSeconds(1)).isEqualTo(StoreState.STALLED);
    }

    @Test
    void anyAnswerEndsTheSilenceHoweverMuchStillWaits() {
        for (int batch = 1; batch < 100; batch++) {
            watch.submitted(1, 0, true);
            watch.submitted(1, 0, true);
            assertThat(afterSeconds(7)).isEqualTo(StoreState.READY);
            watch.durable(batch);
        }
    }

    @Test
    void readsAndWritesAreJudgedApart() {
        watch.asked();
        for (int batch = 1; batch <= 8; batch++) {
            watch.submitted(1, 0, true);
            afterSeconds(1);
            watch.durable(batch);
        }
        assertThat(turn()).isEqualTo(StoreState.STALLED);
        watch.answered();

        assertThat(afterSeconds(8)).isEqualTo(StoreState.READY);
    }

    @Test
    void isTrustedAgainAfterAsLongACalm() {
        watch.submitted(1, 0, true);
        afterSeconds(8);
        watch.durable(1);
        assertThat(afterSeconds(7)).isEqualTo(StoreState.STALLED);

        assertThat(afterSeconds(1)).isEqualTo(StoreState.READY);
    }

    @Test
    void isNotTrustedWhileItStallsTimeAndAgain() {
        watch.submitted(1, 0, true);
        afterSeconds(8);
        for (int batch = 1; batch < 50; batch++) {
            watch.durable(batch);
            watch.submitted(1, 0, true);
            assertThat(afterSeconds(7)).isEqualTo(StoreState.STALLED);
        }
    }

    @Test
    void isGivenUpAfterALongSilenceOnly() {
        watch.submitted(1, 0, true);
        afterSeconds(79);
        watch.durable(1);
        watch.submitted(1, 0, true);
        assertThat(afterSeconds(79)).isEqualTo(StoreState.STALLED);

        assertThatThrownBy(() -> afterSeconds(1))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.STALLED))
                .hasMessageContaining("no write for 80000 ms")
                .hasMessageContaining("1 batches with 1 bytes and 0 reads");
    }

    @Test
    void timeTheNodeStoodStillIsNotTheStoresSilence() {
        watch.submitted(1, 0, true);
        turn();
        now += 1000 * SECOND;

        assertThat(turn()).isEqualTo(StoreState.READY);
    }

    @Test
    void aFullStoreIsNotGivenUpWhileItSaysSo() {
        watch.submitted(1, 0, true);
        for (int i = 0; i < 100; i++) {
            watch.full(true);
            assertThat(afterSeconds(7)).isEqualTo(StoreState.FULL);
        }
        assertThat(afterSeconds(1)).isEqualTo(StoreState.STALLED);
        watch.full(false);
        watch.durable(1);

        assertThat(afterSeconds(8)).isEqualTo(StoreState.READY);
    }

    @Test
    void isBehindFromTheBoundOnUntilHalfIsWritten() {
        watch.submitted(600, 0, true);
        assertThat(turn()).isEqualTo(StoreState.READY);
        watch.submitted(399, 0, true);
        assertThat(turn()).isEqualTo(StoreState.READY);
        watch.submitted(1, 0, true);
        assertThat(turn()).isEqualTo(StoreState.BEHIND);
        watch.submitted(100, 0, true);
        watch.durable(1);
        assertThat(turn()).as("500 bytes wait").isEqualTo(StoreState.BEHIND);

        watch.durable(2);

        assertThat(turn()).isEqualTo(StoreState.READY);
    }

    @Test
    void isOverfullFromTwiceTheBacklogOnUntilHalfOfThatIsWritten() {
        long bound = 2 * 1000 + StoreWatch.HELD_BYTES_ALWAYS;
        watch.submitted(10, bound / 2, true);
        watch.submitted(0, bound / 2 - 1, true);
        assertThat(watch.isOverfull()).isFalse();
        watch.submitted(0, 1, true);
        assertThat(watch.isOverfull()).isTrue();
        assertThat(turn()).as("of 10 bytes to be written").isEqualTo(StoreState.READY);
        watch.submitted(0, 1, true);
        watch.durable(1);
        assertThat(watch.isOverfull()).isTrue();

        watch.durable(3);

        assertThat(watch.isOverfull()).isFalse();
    }

    /** Of syncs of 2 s, a quarter of 8 s, with a turn every half second. */
    private final StoreWatch strict = new StoreWatch(
            new StoreWatch.Limits(Duration.ofSeconds(8), Duration.ofSeconds(80), 1000, Duration.ofSeconds(8)));

    private StoreState sync(int batch, int turns, boolean synced) {
        strict.look(now);
        strict.submitted(1, 0, synced);
        for (int i = 0; i < turns; i++) {
            now += SECOND / 2;
            strict.look(now);
        }
        strict.durable(batch);
        return strict.judge();
    }

    @Test
    void isSlowAfterTwoSlowSyncsInARow() {
        assertThat(sync(1, 4, true)).isEqualTo(StoreState.READY);
        assertThat(sync(2, 3, true)).isEqualTo(StoreState.READY);
        assertThat(sync(3, 4, true)).isEqualTo(StoreState.READY);
        assertThat(sync(4, 4, true)).isEqualTo(StoreState.SLOW);
        assertThat(strict.describe()).contains("its last sync took 2000 ms");
    }

    @Test
    void whatNeedNotBeSyncedSaysNothingAboutSyncs() {
        sync(1, 4, true);
        sync(2, 0, false);
        assertThat(sync(3, 4, true)).isEqualTo(StoreState.SLOW);
    }

    @Test
    void timeTheNodeStoodStillMakesNoSyncSlow() {
        for (int batch = 1; batch < 10; batch++) {
            strict.look(now);
            strict.submitted(1, 0, true);
            now += 1000 * SECOND;
            strict.look(now);
            strict.durable(batch);
            assertThat(strict.judge()).isEqualTo(StoreState.READY);
        }
    }
}
