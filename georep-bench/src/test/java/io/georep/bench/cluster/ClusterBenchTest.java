package io.georep.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.bench.process.Program;
import io.georep.bench.process.Sample;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ClusterBenchTest {
    private static ClusterBench bench(String... options) {
        return Program.parse(new ClusterBench(System.out), options);
    }

    @Test
    void takesDefaultsAndEveryOptionItNames() {
        assertThat(bench()).isNotNull();
        assertThat(bench(
                        "--clients",
                        "100, 1_000",
                        "--durability",
                        "os,FSYNC",
                        "--nodes",
                        "5",
                        "--f",
                        "2",
                        "--bytes",
                        "1",
                        "--warm-up",
                        "0",
                        "--seconds",
                        "1",
                        "--loop",
                        "send",
                        "--handler",
                        "batch",
                        "--window",
                        "10",
                        "--peers",
                        "nearest",
                        "--round-trip",
                        "20",
                        "--rate",
                        "1_000",
                        "--jvm",
                        "-Xmx1g -Xint",
                        "--jfr",
                        "/tmp"))
                .isNotNull();
    }

    @Test
    void saysWhichOptionIsWrong() {
        assertThatThrownBy(() -> bench("--loop", "twice"))
                .hasMessageContaining("'--loop': expected one of [SEND, CYCLE] (case-insensitive) but was 'twice'");
        assertThatThrownBy(() -> bench("--nodes", "2", "--f", "2")).hasMessageContaining("--f is 2 with 2 nodes");
        assertThatThrownBy(() -> bench("--rate", "10", "--loop", "cycle")).hasMessageContaining("leave out --loop");
        assertThatThrownBy(() -> bench("--handler", "none-such")).hasMessageContaining("'--handler': expected one of");
        assertThatThrownBy(() -> bench("--seconds", "0")).hasMessage("--seconds is 0, allowed are 1 to 3600");
        assertThatThrownBy(() -> bench("--clients", "100,0")).hasMessage("--clients is 0, allowed are 1 to 100000");
    }

    @Test
    void showsTheBusiestThreadsFirstEvenWhenTwoAreEqual() {
        Map<String, Long> values = new TreeMap<>();
        values.put("cpu", 1_000L);
        values.put("cycles", 500L);
        values.put("thread.first", 400L);
        values.put("thread.second", 300L);
        values.put("thread.third", 300L);
        for (int i = 0; i < 10; i++) {
            values.put("thread.idle-" + (char) ('a' + i), 0L);
        }

        String threads = ClusterBench.busiestThreads(new Sample(values));

        assertThat(threads.split(", ", -1)).hasSize(8).startsWith("first 40%", "second 30%", "third 30%", "idle-a 0%");
    }
}
