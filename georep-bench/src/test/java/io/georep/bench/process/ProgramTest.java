package io.georep.bench.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.Durability;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

class ProgramTest {
    @Command(name = "sample")
    private static class Sample implements Program.Checked {
        @Spec
        CommandSpec spec;

        @Range(min = 1, max = 60)
        @Option(names = "--seconds", defaultValue = "5")
        int seconds;

        @Range(min = 0, max = 2_000)
        @Option(names = "--big")
        Long big;

        @Range(min = 1, max = 1_000)
        @Option(names = "--clients", split = "\\s*,\\s*", defaultValue = "1")
        List<Integer> clients;

        @Option(names = "--durability", split = "\\s*,\\s*", defaultValue = "MEMORY")
        List<Durability> levels;

        @Override
        public void check() {
            if (seconds == 13) {
                throw Program.refuse(spec, "--seconds is 13, which brings bad luck");
            }
        }
    }

    private static Sample parse(String... args) {
        return Program.parse(new Sample(), args);
    }

    @Test
    void readsNumbersListsAndChoices() {
        Sample sample = parse("--seconds", "15", "--clients", "100, 300", "--durability", "os,FSYNC", "--big", "1_000");

        assertThat(sample.seconds).isEqualTo(15);
        assertThat(sample.clients).containsExactly(100, 300);
        assertThat(sample.levels).containsExactly(Durability.OS, Durability.FSYNC);
        assertThat(sample.big).isEqualTo(1000);
    }

    @Test
    void fallsBackToDefaults() {
        Sample sample = parse();

        assertThat(sample.seconds).isEqualTo(5);
        assertThat(sample.big).isNull();
        assertThat(sample.clients).containsExactly(1);
        assertThat(sample.levels).containsExactly(Durability.MEMORY);
    }

    @Test
    void namesWhatIsWrong() {
        assertThatThrownBy(() -> parse("seconds", "1")).hasMessageContaining("'seconds'");
        assertThatThrownBy(() -> parse("--seconds")).hasMessageContaining("--seconds");
        assertThatThrownBy(() -> parse("--seconds", "1", "--seconds", "2"))
                .hasMessageContaining("'--seconds'")
                .hasMessageContaining("only once");
        assertThatThrownBy(() -> parse("--seconds", "x"))
                .hasMessageContaining("'--seconds'")
                .hasMessageContaining("'x' is not a whole number up to 2147483647");
        assertThatThrownBy(() -> parse("--seconds", "61")).hasMessage("--seconds is 61, allowed are 1 to 60");
        assertThatThrownBy(() -> parse("--big", "-1")).hasMessage("--big is -1, allowed are 0 to 2000");
        assertThatThrownBy(() -> parse("--clients", "1,1001")).hasMessage("--clients is 1001, allowed are 1 to 1000");
        assertThatThrownBy(() -> parse("--durability", "SOMETIMES")).hasMessageContaining("[FSYNC, OS, MEMORY]");
        assertThatThrownBy(() -> parse("--typo", "1")).hasMessageContaining("--typo");
        assertThatThrownBy(() -> parse("--seconds", "13")).hasMessageContaining("bad luck");
    }
}
