package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a node asks for that it has only heard the name of. */
class HintsTest {
    private final Hints hints = new Hints();

    /** Returns whom it asks for what in so many rounds. */
    private Set<Map.Entry<String, List<Long>>> asked(int rounds) {
        Set<Map.Entry<String, List<Long>>> asked = new HashSet<>();
        for (int i = 0; i < rounds; i++) {
            asked.addAll(hints.ask().entrySet());
        }
        return asked;
    }

    @Test
    void whoMakesUpNamesLeavesRoomForTheNamesOfOthers() {
        for (int round = 0; round < 3; round++) {
            for (long name = 0; name < 5_000; name++) {
                hints.heard(name, "liar:" + name % 4, "?liar");
            }
            hints.heard(-1 - round, "a:1", "a:1");

            Set<Map.Entry<String, List<Long>>> asked = asked(20);
            assertThat(asked).contains(Map.entry("a:1", List.of(-1L - round)));
            assertThat(asked)
                    .filteredOn(each -> each.getKey().startsWith("liar:"))
                    .as("what it named before was given up")
                    .isNotEmpty();
        }
    }

    @Test
    void whatHasComeIsNotAskedForAndLeavesItsRoom() {
        for (int times = 0; times < 2; times++) {
            for (long name = 0; name < 1_024; name++) {
                hints.heard(name, "a:1", "a:1");
            }
            hints.heard(5_000, "a:1", "a:1");
            hints.came(7);
            hints.heard(5_001, "a:1", "a:1");
            assertThat(asked(1).iterator().next().getValue())
                    .hasSize(1_024)
                    .contains(5_001L)
                    .doesNotContain(7L, 5_000L);
            for (long name = 0; name < 6_000; name++) {
                hints.came(name);
            }
            assertThat(asked(20)).isEmpty();
        }
    }
}
