package io.georep.bench.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StarvationTest {
    private static final long MILLI = 1_000_000;

    private final List<String> starved = new ArrayList<>();
    private final Starvation starvation =
            new Starvation("georep", (from, until) -> starved.add(from / MILLI + " to " + until / MILLI));

    private void look(long millis, long oneWaited, long otherWaited) {
        starvation.look(millis * MILLI, Map.of("1", oneWaited * MILLI, "2", otherWaited * MILLI));
    }

    @Test
    void saysNothingWhileThreadsRunWhenTheyWant() {
        look(1000, 5000, 0);
        look(1250, 5010, 100);
        look(1510, 5020, 200);

        assertThat(starved).isEmpty();
    }

    @Test
    void noticesAThreadThatWaitedMostOfTheTime() {
        look(1000, 0, 0);
        look(1250, 130, 10);
        look(1500, 131, 15);
        look(1750, 132, 615);

        assertThat(starved).containsExactly("1000 to 1250", "1150 to 1750");
    }

    @Test
    void noticesThatItSleptTooLong() {
        look(1000, 0, 0);
        look(2000, 0, 0);
        look(2250, 0, 0);

        assertThat(starved).containsExactly("1000 to 2000");
    }

    @Test
    void anUnknownThreadWaitedForNothing() {
        starvation.look(1000 * MILLI, Map.of());
        look(1250, 100_000, 0);

        assertThat(starved).isEmpty();
    }
}
