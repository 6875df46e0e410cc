package io.georep.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** When things are due, and what remembering that costs. */
class AlarmsTest {
    private final Map<String, Long> dueAt = new HashMap<>();
    private final Alarms<String> alarms = new Alarms<>(dueAt::get, Comparator.<String>naturalOrder());

    private void set(String thing, long at) {
        dueAt.put(thing, at);
        alarms.set(thing);
    }

    @Test
    void tellsWhatIsDueInOrder() {
        set("b", 5);
        set("a", 5);
        set("c", 7);

        assertThat(alarms.next()).isEqualTo(5);
        assertThat(alarms.due(5)).containsExactly("a", "b");
        assertThat(alarms.next()).isEqualTo(7);
        alarms.cancel("c");
        assertThat(alarms.next()).isEqualTo(Long.MAX_VALUE);
        assertThat(alarms.due(100)).isEmpty();
    }

    @Test
    void aTimeThatMovedAwayIsNotDueBefore() {
        set("a", 5);
        dueAt.put("a", 9L);

        assertThat(alarms.next()).isEqualTo(9);
        assertThat(alarms.due(8)).isEmpty();
        assertThat(alarms.due(9)).containsExactly("a");
    }

    /** A link that comes and goes: due at once each time, and else in a week, each time a little later. */
    @Test
    void timesThatAreVoidDoNotPileUp() {
        for (long now = 0; now < 100_000; now++) {
            set("a", now);
            assertThat(alarms.due(now)).containsExactly("a");
            set("a", now + 604_800);
        }
        set("b", 100_000);

        assertThat(alarms.remembered()).isLessThan(100);
        assertThat(alarms.next()).isEqualTo(100_000);
        assertThat(alarms.due(100_000)).containsExactly("b");
        assertThat(alarms.next()).isEqualTo(99_999 + 604_800);
    }
}
