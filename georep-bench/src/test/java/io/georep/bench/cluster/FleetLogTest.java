package io.georep.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read of a fleet, also when a host of it was killed while it wrote. */
class FleetLogTest {
    /** A place in the order, 20 seconds after the nodes were born. */
    private static final long TIME = 30_000L << 16;

    private static final List<String> ONE =
            List.of("born 0-0 10000 a:1", "asked 0-1 30000 PUT k v", "has 0-0 " + TIME + " 7 a:1 c:1 PUT k v");

    @TempDir
    Path directory;

    private FleetLog judged(int host, String... lines) throws IOException {
        Files.writeString(directory.resolve("host-" + host + ".log"), String.join("\n", lines));
        return FleetLog.judged(directory, host + 1);
    }

    private void complete() throws IOException {
        try (PrintWriter host = FleetLog.writer(directory, 0)) {
            ONE.forEach(host::println);
            host.println("last 0-0 40000");
            host.println(FleetLog.END);
        }
    }

    @Test
    void theLastLineOfAHostThatWasKilledMayEndAnywhere() throws IOException {
        complete();
        String line = "has 1-0 " + TIME + " 7 a:1 c:1 PUT k v";
        for (int length = 0; length <= line.length(); length++) {
            FleetLog log = judged(1, "born 1-0 10000 b:1", "asked 1-1 31000 GET k null", line.substring(0, length));

            assertThat(log.cut).isOne();
            assertThat(log.violations).isEmpty();
            assertThat(log.pairs)
                    .as("pairs of the host that has ended by itself")
                    .isOne();
            assertThat(log.holes).isZero();
        }
    }

    @Test
    void hostsThatMadeNoProgressForLongAreStarved() throws IOException {
        complete();
        assertThat(judged(1, "born 1-0 10000 b:1", "stood - 100 2000", FleetLog.END)
                        .isStarved())
                .isFalse();
        assertThat(judged(1, "born 1-0 10000 b:1", "stood - 100 2000", "stood - 101 2000", FleetLog.END)
                        .isStarved())
                .isTrue();
    }

    @Test
    void aHostThatEndsByItselfIsJudgedToItsEnd() throws IOException {
        complete();
        FleetLog log = judged(1, "born 1-0 10000 b:1", "last 1-0 40000", FleetLog.END);

        assertThat(log.cut).isZero();
        assertThat(log.pairs).isEqualTo(2);
        assertThat(log.holes).isOne();
    }

    @Test
    void aThreadThatIsInterruptedWhileItWritesEndsNoFile() throws IOException {
        try (PrintWriter host = FleetLog.writer(directory, 0)) {
            Thread.currentThread().interrupt();
            host.println("died 0-1 20000");
            host.flush();
            assertThat(Thread.interrupted()).isTrue();
            host.println(FleetLog.END);
        }
        FleetLog log = FleetLog.judged(directory, 1);

        assertThat(log.replaced).isOne();
        assertThat(log.cut).isZero();
    }
}
