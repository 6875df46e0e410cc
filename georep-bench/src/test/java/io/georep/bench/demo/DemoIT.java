package io.georep.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The demo itself, smaller: real processes, real sockets, real stores, a real kill. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class DemoIT {
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    private int run(String... pairs) throws Exception {
        Properties properties = new Properties();
        for (int i = 0; i < pairs.length; i += 2) {
            properties.setProperty("demo." + pairs[i], pairs[i + 1]);
        }
        return DemoMain.run(properties, new PrintStream(printed, true, StandardCharsets.UTF_8));
    }

    private String output() {
        return printed.toString(StandardCharsets.UTF_8);
    }

    @Test
    void losesNothingWhenANodeIsKilledAndShowsTheAdoption() throws Exception {
        int exitCode = run(
                "entries", "6000",
                "seconds", "4",
                "producers", "10",
                "operator.millis", "400",
                "suspect.millis", "1500",
                "terminate.millis", "1500",
                "patience", "90");

        assertThat(exitCode).as(output()).isZero();
        assertThat(output())
                .contains("kill -9 node-2", "begins to adopt entries of node-2", "node-2 is a full member again")
                .containsPattern("acknowledged +6,000")
                .containsPattern("lost +0");
    }

    @Test
    void losesNothingWhenStoresAreLostDisksFullAndTheNetworkBroken() throws Exception {
        int exitCode = run(
                "entries", "6000",
                "nodes", "4",
                "f", "2",
                "accidents", "3",
                "accidents.kinds", "EMPTY,OLD,RESTORING,FULL,CUT",
                "seed", "1",
                "settle.seconds", "2",
                "delay.millis", "5",
                "seconds", "15",
                "producers", "10",
                "operator.millis", "2000",
                "suspect.millis", "1000",
                "terminate.millis", "500",
                "patience", "90");

        assertThat(exitCode).as(output()).isZero();
        assertThat(output())
                .containsPattern("accident [0-9]+: kill -9 .* for (EMPTY|OLD)")
                .containsPattern("acknowledged +6,000")
                .containsPattern("unexpected +0")
                .containsPattern("lost +0");
    }

    @Test
    void saysWhichOptionIsWrong() throws Exception {
        assertThat(run("nodes", "3", "f", "3")).isEqualTo(2);
        assertThat(output()).contains("demo.f is 3 with 3 nodes");
    }
}
