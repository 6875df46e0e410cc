package io.georep.comparison;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.core.HazelcastInstance;
import io.georep.bench.process.Program;
import io.georep.bench.process.Workspace;
import io.georep.model.Durability;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The programs run, with three processes of each product on loopback. What they measure here says nothing. */
class ComparisonBenchTest {
    private static final String SMALL_JVM = "--jvm=-Xmx192m,-XX:+UseSerialGC,-XX:TieredStopAtLevel=1";

    /** Addresses of this JVM's own: ports of another run on this machine are not in the way. */
    private static String hosts() {
        long pid = ProcessHandle.current().pid();
        String prefix = "127." + (1 + pid / 250 % 250) + "." + pid % 250 + ".";
        return "--hosts=a=" + prefix + "1,b=" + prefix + "2,c=" + prefix + "3";
    }

    private static List<String> lines(ByteArrayOutputStream out) {
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @ParameterizedTest
    @EnumSource
    void readsAndWritesOfEachProductAreMeasured(Product product) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ComparisonBench bench = Program.parse(
                new ComparisonBench(new PrintStream(out, true, StandardCharsets.UTF_8)),
                hosts(),
                SMALL_JVM,
                "--products=" + product,
                "--durability=OS",
                "--lease-millis=10000",
                "--keys=30",
                "--writers=6",
                "--warm-up=0",
                "--seconds=1");

        // Whether single writes failed is not asked: on a busy machine a lease may end.
        bench.call();

        assertThat(lines(out))
                .anyMatch(line -> line.matches(product + " +[1-9]\\d* +\\d+ +[0-9.]+ +[0-9.]+"))
                .anyMatch(line -> line.matches(product + " +6 +[1-9]\\d* +\\d+ +[0-9.]+ +[0-9.]+ +\\d+"));
        for (String region : List.of("a", "b", "c")) {
            assertThat(lines(out))
                    .anyMatch(line -> line.matches(
                            product + ", " + region + " +[0-9.]+ +[0-9.]+ +(?!0.0000)[0-9.]+ +[0-9.]+ +\\d+"));
        }
    }

    @Test
    void chainAndStarAreMeasured() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        FiguresBench bench = Program.parse(
                new FiguresBench(new PrintStream(out, true, StandardCharsets.UTF_8)),
                hosts(),
                SMALL_JVM,
                "--durability=OS",
                "--lease-millis=10000",
                "--delays=1",
                "--kilobytes=1",
                "--congestion=0",
                "--writers=2",
                "--warm-up=0",
                "--seconds=1");

        bench.call();

        assertThat(lines(out)).anyMatch(line -> line.matches("3, 1, 1( +(?!0\\.0 )[0-9.]+){5} +\\d+"));
        assertThat(lines(out)).anyMatch(line -> line.matches("3, 0 %( +(?!0\\.0 )[0-9.]+){2} +\\d+"));
    }

    @Test
    void aProductThatDoesNotStartIsReportedWithTheEndOfItsLog() throws Exception {
        List<String> arguments = new ArrayList<>(List.of(SMALL_JVM, "--hosts=a=203.0.113.1", "--start-within=5"));
        HostOptions hosts = Program.parse(new HostOptions(), arguments.toArray(String[]::new));
        try (Workspace workspace = Workspace.create("georep-comparison-")) {
            assertThatThrownBy(() -> new Nodes(Product.GEOREP, hosts.setting(), workspace))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("the end of its log")
                    .hasMessageContaining("203.0.113.1");
        }
    }

    /** docs/how-it-works/benchmarks.md says so: when it changes, CPMap belongs into the comparison. */
    @Test
    void theOpenEditionOfHazelcastHasNoCpMap() {
        Place place = new Place(
                0,
                List.of("a"),
                List.of(hosts().replaceAll(".*a=([0-9.]+),.*", "$1")),
                Path.of("unused"),
                Durability.OS,
                2000);
        try (HazelcastMap map = new HazelcastMap(place, false)) {
            HazelcastInstance instance = map.instance();
            assertThatThrownBy(() -> instance.getCPSubsystem().getMap("bench"))
                    .hasMessageContaining("licensed feature");
        }
    }
}
