package io.georep.geopaxos.core.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.core.map.MapClock.Reading;
import io.georep.model.Slice;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a node sets the clock of the maps forward, and by how much. */
class MapClockTest {
    private static final long MILLI = 1_000_000;
    private static final Slice ME = Slice.utf8("me");
    private static final Reading BEGINNING = new Reading(0, Slice.EMPTY);

    private final MapClock clock = new MapClock("me", 1, 2_000 * MILLI);
    private final long start = Long.MAX_VALUE - 1_000 * MILLI; // and over its end

    private MapOperation.@Nullable Tick look(@Nullable Reading reading, boolean isUnderWay, long millis) {
        Slice tick = clock.look(reading, () -> isUnderWay, start + millis * MILLI);
        return tick == null ? null : (MapOperation.Tick) MapOperation.decode(tick);
    }

    private MapOperation.@Nullable Tick look(@Nullable Reading reading, long millis) {
        return look(reading, false, millis);
    }

    /** Sets the clock once. */
    private void takeOver() {
        assertThat(look(BEGINNING, 0)).isNull();
        assertThat(look(BEGINNING, 4_999)).isNull();
        assertThat(look(BEGINNING, 5_000)).isEqualTo(new MapOperation.Tick(0, 1_500, ME));
    }

    @Test
    void whoTickedLastTicksAgainAndTheOthersWait() {
        takeOver();
        assertThat(look(new Reading(1_500, ME), 5_100)).isNull();
        assertThat(look(new Reading(1_500, ME), 5_999)).isNull();
        assertThat(look(new Reading(1_500, ME), 6_000)).isEqualTo(new MapOperation.Tick(1_500, 2_500, ME));
        Slice other = Slice.utf8("other");
        assertThat(look(new Reading(2_400, other), 6_100)).isNull();
        assertThat(look(new Reading(2_400, other), 11_099)).isNull();
        assertThat(look(new Reading(2_400, other), 11_100)).isEqualTo(new MapOperation.Tick(2_400, 3_900, ME));
    }

    /** Something was stored between its proposal and its execution: half a second of that is made up for, not more. */
    @Test
    void aTickThatTakesLongCostsTime() {
        takeOver();
        assertThat(look(new Reading(1_500, ME), 5_700)).isNull();
        assertThat(look(new Reading(1_500, ME), 6_199)).isNull();
        assertThat(look(new Reading(1_500, ME), 6_200)).isEqualTo(new MapOperation.Tick(1_500, 2_500, ME));
    }

    /** Of a tick of an earlier boot it is not known when it was proposed; of another node's neither. */
    @Test
    void whatWasNotMeasuredHereCountsFromItsExecution() {
        assertThat(look(new Reading(7, ME), 0)).isNull();
        assertThat(look(new Reading(7, ME), 999)).isNull();
        assertThat(look(new Reading(7, ME), 1_200)).isEqualTo(new MapOperation.Tick(7, 1_207, ME));
        assertThat(look(new Reading(1_000, ME), 1_300)).as("of an earlier boot").isNull();
        assertThat(look(new Reading(1_000, ME), 2_300)).isEqualTo(new MapOperation.Tick(1_000, 2_000, ME));
    }

    @Test
    void oneTickIsUnderWayAndOneThatWasRefusedIsRepeated() {
        takeOver();
        assertThat(look(BEGINNING, 9_999)).isNull();
        assertThat(look(BEGINNING, true, 10_000)).isNull();
        assertThat(look(BEGINNING, 14_999)).isNull();
        assertThat(look(BEGINNING, 15_000)).isEqualTo(new MapOperation.Tick(0, 1_500, ME));
    }

    @Test
    void withoutEntriesThatExpireThereAreNoTicks() {
        takeOver();
        assertThat(look(null, 5_100)).isNull();
        assertThat(clock.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(look(null, 1_000_000)).isNull();
        assertThat(look(new Reading(1_500, ME), 2_000_000)).isNull();
        assertThat(clock.nextDeadlineNanos() - start).isEqualTo(2_000_500 * MILLI);
        assertThat(look(new Reading(1_500, ME), 2_000_500)).isEqualTo(new MapOperation.Tick(1_500, 2_500, ME));
    }
}
