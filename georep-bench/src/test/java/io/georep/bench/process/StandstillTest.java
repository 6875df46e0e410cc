package io.georep.bench.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StandstillTest {
    private static final long MILLI = 1_000_000;

    private final Standstill standstill = new Standstill("georep-");

    /** Each thread ran a little; so long each of them waited so far. */
    private void look(long millis, long... waited) {
        Map<String, SchedStat.Times> times = new HashMap<>();
        for (int i = 0; i < waited.length; i++) {
            times.put("" + i, new SchedStat.Times(millis, waited[i] * MILLI));
        }
        standstill.look(millis * MILLI, times);
    }

    @Test
    void oneThreadOfFourIsAQuarter() {
        look(1000, 0, 0, 0, 0);
        look(1500, 300, 0, 200, 10);

        assertThat(standstill.stoodMillis()).isEqualTo(125);
        assertThat(standstill.lookedMillis()).isEqualTo(500);
    }

    @Test
    void littleWaitsOfAllAreProgress() {
        look(1000, 0, 0);
        look(1500, 200, 240);

        assertThat(standstill.stoodMillis()).isZero();
    }

    @Test
    void aProcessWhoseThreadsAllWaitStandsStill() {
        look(1000, 0, 0);
        look(4000, 2900, 2000);

        assertThat(standstill.stoodMillis()).isEqualTo(3000);
    }

    @Test
    void threadsThatWantNothingDoNotCount() {
        standstill.look(1000 * MILLI, Map.of("1", new SchedStat.Times(5, 0), "2", new SchedStat.Times(7, 0)));
        standstill.look(1500 * MILLI, Map.of("1", new SchedStat.Times(5, 0), "2", new SchedStat.Times(7, 400 * MILLI)));

        assertThat(standstill.stoodMillis()).isEqualTo(500);
    }

    /** As long as it waits it looks like one that wants nothing. */
    @Test
    void aThreadThatWaitedForSecondsCountsForAllOfThem() {
        standstill.look(1000 * MILLI, Map.of("1", new SchedStat.Times(5, 0), "2", new SchedStat.Times(7, 0)));
        standstill.look(1500 * MILLI, Map.of("1", new SchedStat.Times(6, 0), "2", new SchedStat.Times(7, 0)));
        standstill.look(4500 * MILLI, Map.of("1", new SchedStat.Times(7, 0), "2", new SchedStat.Times(7, 0)));
        standstill.look(
                5000 * MILLI, Map.of("1", new SchedStat.Times(8, 0), "2", new SchedStat.Times(8, 3400 * MILLI)));

        assertThat(standstill.stoodMillis()).isEqualTo(1700);
    }

    @Test
    void whatWasBeforeIsForgotten() {
        look(1000, 0);
        look(1500, 400);
        standstill.restart();
        look(2000, 400);

        assertThat(standstill.stoodMillis()).isZero();
        assertThat(standstill.lookedMillis()).isEqualTo(500);
    }
}
