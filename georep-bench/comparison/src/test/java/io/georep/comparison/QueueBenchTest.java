package io.georep.comparison;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.georep.bench.process.Program;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The program runs, with three nodes of each product on loopback. What it measures here says nothing. */
class QueueBenchTest {
    @TempDir
    private Path directory;

    /** Addresses of this JVM's own: ports of another run on this machine are not in the way. */
    private static String network() {
        long pid = ProcessHandle.current().pid();
        return "--network=127." + (1 + pid / 250 % 250) + "." + pid % 250 + ".";
    }

    @ParameterizedTest
    @EnumSource
    void entriesGoTheWholeWayThroughEachProduct(QueueProduct product) throws Exception {
        assumeTrue(product.available(), product + ": its programs are not on this machine");
        Path json = directory.resolve("results.json");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        QueueBench bench = Program.parse(
                new QueueBench(new PrintStream(out, true, StandardCharsets.UTF_8)),
                network(),
                "--products=" + product,
                "--jvm=-Xmx192m,-XX:+UseSerialGC,-XX:TieredStopAtLevel=1",
                "--start-within=180",
                "--clients=2",
                "--warm-up=1",
                "--seconds=3",
                "--json=" + json);

        // Whether single sends failed is not asked: on a busy machine one may take too long.
        bench.call();

        List<String> lines = Files.readAllLines(json);
        assertThat(lines).hasSameSizeAs(product.levels());
        assertThat(lines)
                .allMatch(line -> line.matches("\\{\"bench\":\"peers\",\"product\":\"" + product
                        + "\",\"durability\":\"[^\"]+\",\"clients\":2,\"round\":1,\"entriesPerSecond\":[1-9]\\d*,"
                        + "\"entriesPerCpuSecond\":[1-9]\\d*,\"sendP50Micros\":[1-9]\\d*,\"sendP99Micros\":[1-9]\\d*,"
                        + "\"rssMiB\":[1-9]\\d*,\"loopbackBytesPerEntry\":[1-9][0-9.]*,.*}"));
        assertThat(out.toString(StandardCharsets.UTF_8).lines()).containsAll(lines);
        for (ProcessHandle left : ProcessHandle.current().descendants().toList()) {
            // Those that were told to end may take a moment.
            assertThat(left.onExit()).succeedsWithin(Duration.ofMinutes(1));
        }
    }

    @Test
    void processorTimeCountsChildrenThatHaveEnded() {
        String stat = "42 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 100 20 3 4 20 0";

        assertThat(MachineUse.cpuNanos(stat)).isEqualTo(1_270_000_000);
    }

    @Test
    void onlyTheLoopbackInterfaceCounts() {
        assertThat(MachineUse.loopback("Inter-| Receive\n    lo: 1234 5 0 0 0 0 0 0 1234 5 0 0\n  eth0: 99 1 0\n"))
                .isEqualTo(1234);
    }
}
