package io.georep.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ChaosOptionsTest {
    private static ChaosOptions options(String... pairs) {
        Properties properties = new Properties();
        for (int i = 0; i < pairs.length; i += 2) {
            properties.setProperty("chaos." + pairs[i], pairs[i + 1]);
        }
        return ChaosOptions.of(properties);
    }

    @Test
    void oneSeedGivesOneRoundWhichItsCommandRepeats() {
        ChaosOptions options = options("seed", "5", "rate", "100", "f", "2", "kinds", "kill,cut", "rounds", "");

        assertThat(options.round(7)).isEqualTo(options.round(7)).isNotEqualTo(options.round(8));
        assertThat(options.command(7))
                .isEqualTo(
                        "./mvnw -Dgroups=chaos -Dchaos.rounds=1 -Dchaos.seed=7 -Dchaos.round.seconds=45 -Dchaos.rate=100"
                                + " -Dchaos.f=2 -Dchaos.kinds=KILL,CUT");
        assertThat(options.seed()).isEqualTo(5);
    }

    @Test
    void roundsDifferInNodesCopiesAndKindsAndSomeAreNothingButTooMuchWork() {
        ChaosOptions options = options();
        Set<String> sizes = new TreeSet<>();
        Set<AccidentKind> drawn = EnumSet.noneOf(AccidentKind.class);
        Set<Duration> calm = new TreeSet<>();
        for (int seed = 0; seed < 200; seed++) {
            DemoOptions round = options.round(seed);
            sizes.add(round.nodes() + "/" + round.f());
            drawn.addAll(round.accidents().kinds());
            calm.add(round.accidents().calm());
            assertThat(round.reserve()).isPositive();
        }

        assertThat(sizes).containsExactly("3/1", "4/1", "4/2", "5/1", "5/2");
        assertThat(drawn).containsExactly(AccidentKind.values());
        assertThat(calm).hasSize(2);
    }

    @Test
    void drawsOnlyWhatIsAskedFor() {
        ChaosOptions options = options("kinds", "flood", "nodes", "2");
        for (int seed = 0; seed < 50; seed++) {
            assertThat(options.round(seed).accidents().kinds()).containsExactly(AccidentKind.FLOOD);
            assertThat(options.round(seed).f()).isEqualTo(1);
        }
        assertThat(options("f", "3").round(1).nodes()).isEqualTo(5);
    }

    @Test
    void namesWhatIsWrongAndWhatIsAllowed() {
        assertThatThrownBy(() -> options("nodes", "3", "f", "3"))
                .hasMessage(
                        "chaos.f is 3 with 3 nodes: each entry needs f + 1 nodes; lower chaos.f or raise chaos.nodes");
        assertThatThrownBy(() -> options("second", "3")).hasMessageContaining("chaos.second is unknown: there are");
        assertThatThrownBy(() -> options("seconds", "0")).hasMessage("chaos.seconds is 0, allowed are 1 to 1000000");
    }
}
