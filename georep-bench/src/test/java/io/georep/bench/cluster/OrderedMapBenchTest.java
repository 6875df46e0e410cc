package io.georep.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.bench.process.Program;
import io.georep.geopaxos.OrderedMapSettings;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class OrderedMapBenchTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

    private String printed() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void measuresEveryOperation() throws Exception {
        String[] options = {
            "--operation",
            "write,read,leased,blocking",
            "--durability",
            "os",
            "--clients",
            "10",
            "--keys",
            "100",
            "--warm-up",
            "0",
            "--seconds",
            "1"
        };

        assertThat(Program.parse(new OrderedMapBench(out), options).call()).isZero();

        assertThat(printed()).contains("WRITE, OS", "READ, OS", "LEASED, OS", "BLOCKING, OS");
    }

    /** The second group gets a map because that is read near it. */
    @Test
    void measuresWritesOfTwoGroups() throws Exception {
        String[] options = {
            "--operation",
            "two_groups",
            "--durability",
            "os",
            "--clients",
            "10",
            "--keys",
            "200",
            "--warm-up",
            "0",
            "--seconds",
            "1"
        };

        assertThat(Program.parse(new OrderedMapBench(out), options).call()).isZero();

        assertThat(printed()).contains("TWO_GROUPS, OS");
        assertThatThrownBy(() -> Program.parse(new OrderedMapBench(out), "--operation", "two_groups", "--nodes", "1"))
                .hasMessage("--nodes is 1, operations of two groups need 2");
    }

    @Test
    void measuresMemoryAndARestart() throws Exception {
        assertThat(Program.parse(new OrderedMapSizeBench(out), "--keys", "1_000")
                        .call())
                .isZero();

        assertThat(printed()).contains("bytes per key", "1000");
    }

    /** More than settings allow that say nothing of it. */
    @Test
    void aMillionKeysHaveRoom() {
        OrderedMapSettings settings = OrderedMapSizeBench.settings(1_000_000, 100, "n1");

        assertThat(settings.keysMax()).isEqualTo(1_000_000);
        assertThat(settings.bytesMax()).isGreaterThan(1_000_000L * ("key 999999".length() + 100));
    }

    @Test
    void measuresOverLongDistances() throws Exception {
        String[] options = {
            "--order",
            "one_group",
            "--workload",
            "skewed",
            "--clients",
            "6",
            "--keys",
            "30",
            "--warm-up",
            "0",
            "--seconds",
            "1"
        };

        assertThat(Program.parse(new OrderedMapWanBench(out), options).call()).isZero();

        assertThat(printed()).contains("SKEWED, ONE_GROUP");
    }

    @Test
    void saysWhichOptionIsWrong() {
        assertThatThrownBy(() -> Program.parse(new OrderedMapBench(out), "--clients", "0"))
                .hasMessage("--clients is 0, allowed are 1 to 10000");
        assertThatThrownBy(() -> Program.parse(new OrderedMapBench(out), "--operation", "SLEEP"))
                .hasMessageContaining("expected one of [WRITE, READ, LEASED, BLOCKING, PAIR, TWO_GROUPS]");
    }
}
