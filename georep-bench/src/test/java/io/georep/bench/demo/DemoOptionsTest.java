package io.georep.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Properties;
import org.junit.jupiter.api.Test;

class DemoOptionsTest {
    private static Properties properties(String... pairs) {
        Properties properties = new Properties();
        properties.setProperty("java.home", "/somewhere");
        for (int i = 0; i < pairs.length; i += 2) {
            properties.setProperty("demo." + pairs[i], pairs[i + 1]);
        }
        return properties;
    }

    @Test
    void killsTheSecondOfThreeNodesByDefault() {
        DemoOptions options = DemoOptions.of(properties("entries", "", "kill", ""));

        assertThat(options.nodes()).isEqualTo(3);
        assertThat(options.f()).isEqualTo(1);
        assertThat(options.kill()).isEqualTo("node-2");
        assertThat(options.kills()).isTrue();
        assertThat(options.failoverAfter()).isEqualTo(options.suspectAfter().plus(options.terminateAfter()));
    }

    @Test
    void takesWhatIsGiven() {
        DemoOptions options = DemoOptions.of(properties("entries", "77", "nodes", "5", "f", "2", "kill", "none"));

        assertThat(options.entries()).isEqualTo(77);
        assertThat(options.nodes()).isEqualTo(5);
        assertThat(options.f()).isEqualTo(2);
        assertThat(options.kills()).isFalse();
    }

    @Test
    void namesWhatIsWrongAndWhatIsAllowed() {
        assertThatThrownBy(() -> DemoOptions.of(properties("f", "3"))).hasMessageContaining("demo.f is 3 with 3 nodes");
        assertThatThrownBy(() -> DemoOptions.of(properties("kill", "node-9")))
                .hasMessageContaining("node-1, node-2, node-3 and none");
        assertThatThrownBy(() -> DemoOptions.of(properties("entires", "5")))
                .hasMessageContaining(
                        "demo.entires is unknown: there are demo.accidents, demo.accidents.kinds, demo.bytes");
        assertThatThrownBy(() -> DemoOptions.of(properties("entries", "many")))
                .hasMessageContaining("option 'demo.entries'")
                .hasMessageContaining("'many' is not a whole number up to 2147483647");
        assertThatThrownBy(() -> DemoOptions.of(properties("entries", "0")))
                .hasMessage("demo.entries is 0, allowed are 1 to 10000000");
        assertThatThrownBy(() -> DemoOptions.of(properties("accidents.kinds", "kill,earthquake")))
                .hasMessageContaining("option 'demo.accidents.kinds'")
                .hasMessageContaining("expected one of [KILL, FREEZE, EMPTY")
                .hasMessageContaining("but was 'earthquake'");
        assertThatThrownBy(() -> DemoOptions.of(properties("accidents", "3", "durability", "memory")))
                .hasMessageContaining("each kill would destroy copies");
        assertThatThrownBy(() -> DemoOptions.of(properties("tombstone.seconds", "3")))
                .hasMessageContaining("demo.tombstone.seconds is 3");
    }

    @Test
    void drawsAllKindsOfAccidentsByDefaultAndPutsItsNetworkBetweenTheNodesOnlyWhereNeeded() {
        assertThat(DemoOptions.of(properties()).slowNetwork()).isFalse();
        assertThat(DemoOptions.of(properties("delay.millis", "20")).slowNetwork())
                .isTrue();
        assertThat(DemoOptions.of(properties("accidents", "3", "accidents.kinds", "Kill, old"))
                        .slowNetwork())
                .isFalse();
        DemoOptions all = DemoOptions.of(properties("accidents", "3"));
        assertThat(all.slowNetwork()).isTrue();
        assertThat(all.accidents().kinds()).containsExactly(AccidentKind.values());
    }

    @Test
    void givesEveryNodeItsOwnSite() {
        assertThat(java.util.stream.IntStream.range(0, 9).mapToObj(DemoOptions::site))
                .doesNotHaveDuplicates();
    }
}
