package io.georep.bench.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.Durability;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ArgumentsTest {
    @Test
    void readsNumbersListsAndChoices() {
        Arguments arguments = Arguments.parse(
                "--seconds", "15", "--clients", "100,300", "--durability", "os,FSYNC", "--big", "1_000");

        assertThat(arguments.count("seconds", 5, 1, 60)).isEqualTo(15);
        assertThat(arguments.counts("clients", "1", 1, 1000)).containsExactly(100, 300);
        assertThat(arguments.choices("durability", Durability.class, "MEMORY"))
                .containsExactly(Durability.OS, Durability.FSYNC);
        assertThat(arguments.number("big", 0, 0, 2000)).isEqualTo(1000);
        arguments.finish();
    }

    @Test
    void fallsBackToDefaultsAlsoForBlankValues() {
        Arguments arguments = Arguments.of(Map.of("seconds", " "), "demo.");

        assertThat(arguments.count("seconds", 5, 1, 60)).isEqualTo(5);
        assertThat(arguments.text("name", "x")).isEqualTo("x");
        assertThat(arguments.texts("seeds", "")).isEmpty();
        assertThat(arguments.choice("durability", Durability.class, Durability.OS))
                .isEqualTo(Durability.OS);
    }

    @Test
    void namesWhatIsWrong() {
        assertThatThrownBy(() -> Arguments.parse("seconds", "1")).hasMessageContaining("--name value");
        assertThatThrownBy(() -> Arguments.parse("--seconds")).hasMessageContaining("--seconds has no value");
        assertThatThrownBy(() -> Arguments.parse("--a", "1", "--a", "2")).hasMessageContaining("--a is given twice");
        Arguments arguments = Arguments.parse("--seconds", "x", "--n", "9", "--d", "SOMETIMES", "--typo", "1");
        assertThatThrownBy(() -> arguments.count("seconds", 1, 1, 2)).hasMessageContaining("--seconds is 'x'");
        assertThatThrownBy(() -> arguments.count("n", 1, 1, 2)).hasMessageContaining("allowed are 1 to 2");
        assertThatThrownBy(() -> arguments.choice("d", Durability.class, Durability.OS))
                .hasMessageContaining("[FSYNC, OS, MEMORY]");
        assertThatThrownBy(() -> arguments.text("name")).hasMessageContaining("--name is missing");
        assertThatThrownBy(arguments::finish).hasMessageContaining("--typo is unknown");
    }
}
