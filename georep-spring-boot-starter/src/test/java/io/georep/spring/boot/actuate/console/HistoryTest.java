package io.georep.spring.boot.actuate.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the console keeps of the last hour. */
class HistoryTest {
    private final History history = new History(10);

    private static History.Sample sample(long figure, Map<String, Long> queues) {
        Map<String, Map<String, Long>> byQueue = new HashMap<>();
        queues.forEach((name, backlog) -> byQueue.put(name, Map.of("backlog", backlog)));
        return new History.Sample(Map.of("backlog", figure), byQueue);
    }

    private History.Plot plot(String queue) {
        History.Plot plot = history.plot(queue);
        assertThat(plot).isNotNull();
        return plot;
    }

    @Test
    void givesSamplesInTheirOrder() {
        history.add(sample(1, Map.of("mail", 5L)), 100);
        history.add(sample(2, Map.of()), 110);
        history.add(sample(3, Map.of("mail", 7L)), 120);

        assertThat(plot(null).series().get("backlog")).containsExactly(1L, 2L, 3L);
        assertThat(plot("mail").series().get("backlog")).containsExactly(5L, null, 7L);
        assertThat(plot("mail").end()).isEqualTo(120);
        assertThat(plot("mail").interval()).isEqualTo(10);
        assertThat(history.plot("other")).isNull();
    }

    @Test
    void whereTheNodeWasNotLookedAtThereIsNothing() {
        history.add(sample(1, Map.of()), 100);
        history.add(sample(2, Map.of()), 111);
        history.add(sample(3, Map.of()), 160);
        history.add(sample(4, Map.of()), 1_000_000);

        assertThat(plot(null).series().get("backlog"))
                .hasSize(360)
                .endsWith(null, null, 4L)
                .doesNotContain(3L);
        assertThat(plot(null).end()).isEqualTo(1_000_000);
    }

    @Test
    void aGapIsAsLongAsItWas() {
        history.add(sample(1, Map.of()), 100);
        history.add(sample(2, Map.of()), 111);
        history.add(sample(3, Map.of()), 160);

        assertThat(plot(null).series().get("backlog")).containsExactly(1L, 2L, null, null, null, null, 3L);
    }

    @Test
    void keepsAnHour() {
        for (int i = 0; i < 1000; i++) {
            history.add(sample(i, i < 900 ? Map.of("mail", (long) i) : Map.of()), i);
        }

        assertThat(plot(null).series().get("backlog"))
                .hasSize(360)
                .startsWith(640L)
                .endsWith(999L);
        assertThat(plot("mail").series().get("backlog")).startsWith(640L).endsWith((Long) null);
    }

    @Test
    void keepsAHundredQueues() {
        Map<String, Long> queues = new HashMap<>();
        for (int i = 0; i < 100; i++) {
            queues.put("q" + i, 1L);
        }
        history.add(sample(1, queues), 1);
        history.add(sample(1, Map.of("late", 1L)), 2);

        assertThat(history.plot("q99")).isNotNull();
        assertThat(history.plot("late")).isNull();
    }
}
