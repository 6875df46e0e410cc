package io.georep.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.bench.process.ChildJvm;
import io.georep.bench.process.Workspace;
import io.georep.flagons.core.FleetSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Fleets of real nodes that are replaced all the time. Those with the tag run with {@code ./mvnw -Dgroups=chaos} only; the other
 * one is a short one of the same.
 */
class FleetChaosTest {
    private static final int HOSTS = 12;
    private static final int PER_HOST = 5;
    private static final long SECONDS = Long.getLong("fleet.seconds", 30);

    /**
     * By each host. Each node that is new takes part in a hundred connections and more, of which each takes 7 to 10 ms of a processor; so this
     * is a quarter of what two processors can do.
     */
    private static final long REPLACED_MILLIS = Long.getLong("fleet.replaced.millis", 20_000);

    private static final Duration START_WITHIN = Duration.ofMinutes(4);

    @TempDir
    Path directory;

    private FleetLog judged(int nodes, long roundMillis, long seconds, double perSecond, Duration replaceEvery)
            throws Exception {
        LinkProtection.write(directory, FleetHost.CLUSTER, nodes);
        try (FleetHost host = new FleetHost(directory, 0, FleetSettings.hardened(nodes, roundMillis), true)) {
            host.start(nodes, true);
            host.awaitComplete();
            host.go(perSecond, replaceEvery);
            host.after(Duration.ofSeconds(seconds), () -> true);
            host.quiet();
        }
        FleetLog log = FleetLog.judged(directory, 1);
        System.out.println(log);
        return log;
    }

    /** The order holds whatever happens; the rest, while nodes have the processor time to hear of everything in time. */
    private static void holds(FleetLog log) {
        assertThat(log.cut).as("hosts that were killed or could not write").isZero();
        assertThat(log.violations).as(log.toString()).isEmpty();
        assertThat(log.answered).as(log.toString()).isPositive();
        if (!log.isStarved()) {
            assertThat(log.wrong).as(log.toString()).isEmpty();
            assertThat(log.answered).as(log.toString()).isGreaterThan(log.unsure);
            assertThat(log.holeRate()).as(log.toString()).isLessThan(1e-2);
        }
    }

    @Test
    @Timeout(60)
    void aSmallOneIsReplacedForAFewSeconds() throws Exception {
        FleetLog log = judged(5, 25, 2, 20, Duration.ofMillis(900));

        assertThat(log.violations).as(log.toString()).isEmpty();
        assertThat(log.answered).as(log.toString()).isPositive();
        assertThat(log.replaced).isPositive();
    }

    @Test
    @Tag("chaos")
    void fortyNodesInOneJvm() throws Exception {
        FleetLog log = judged(40, 125, SECONDS, 20, Duration.ofSeconds(1));

        holds(log);
    }

    @Test
    @Tag("chaos")
    void twelveJvmsOfFiveNodes() throws Exception {
        try (Workspace workspace = Workspace.create("georep-fleet-")) {
            LinkProtection.write(workspace.directory(), FleetHost.CLUSTER, HOSTS * PER_HOST);
            List<ChildJvm> children = new ArrayList<>();
            for (int host = 0; host < HOSTS; host++) {
                children.add(workspace.start(
                        "host" + host,
                        FleetHostMain.class,
                        List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m"),
                        List.of(
                                workspace.directory().toString(),
                                "" + host,
                                "" + PER_HOST,
                                "" + HOSTS * PER_HOST,
                                "true",
                                "1",
                                "" + REPLACED_MILLIS,
                                "" + SECONDS)));
                Path seeds = workspace.directory().resolve("seeds-" + host);
                await().atMost(START_WITHIN).until(() -> Files.exists(seeds));
            }
            for (ChildJvm child : children) {
                assertThat(child.awaitExit(Duration.ofSeconds(SECONDS + 600)))
                        .as(child.name())
                        .isTrue();
                System.out.println(String.join("\n", child.logTail(3)));
            }
            FleetLog log = FleetLog.judged(workspace.directory(), HOSTS);
            System.out.println(log);
            holds(log);
        }
    }
}
