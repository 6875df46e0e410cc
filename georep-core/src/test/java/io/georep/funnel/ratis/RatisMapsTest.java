package io.georep.funnel.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.FreePort;
import io.georep.funnel.FunnelSettings;
import io.georep.funnel.MapsStatus;
import io.georep.funnel.ReplicatedMap;
import io.georep.funnel.ReplicatedMaps;
import io.georep.funnel.View;
import io.georep.funnel.ViewMaster;
import io.georep.model.NodeId;
import io.georep.spi.PayloadCodec;
import io.georep.testing.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Maps on three nodes whose master is kept by the same three nodes, over loopback. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
@Tag("servers")
class RatisMapsTest {
    private static final long PATIENCE_SECONDS = 60;

    /** Long, so that a busy machine changes nothing about what is slow and what is quick. */
    private static final Duration LEASE = Duration.ofSeconds(6);

    private final FunnelSettings settings = FunnelSettings.defaults().lease(LEASE, 0.01);
    private final Map<String, RatisViewMaster> masters = new ConcurrentHashMap<>();

    @TempDir
    private Path directory;

    private LocalCluster cluster;

    @BeforeEach
    void start() throws IOException {
        Map<String, Integer> ports = new TreeMap<>();
        int first = FreePort.findRange(6);
        for (int number = 0; number < 3; number++) {
            ports.put("n" + (number + 1), first + 2 * number);
        }
        String[] peers = ports.entrySet().stream()
                .map(each -> each.getKey() + "=127.0.0.1:" + each.getValue())
                .toArray(String[]::new);
        ViewMaster.Factory factory = place -> {
            String name = place.node().value();
            RatisSettings own = RatisSettings.of(peers).portOffset(0).listen("127.0.0.1:" + ports.get(name));
            RatisViewMaster master = (RatisViewMaster)
                    RatisViewMaster.over(own.directory(directory.resolve(name))).create(place);
            masters.put(name, master);
            return master;
        };
        cluster = LocalCluster.start(3, builder -> builder.replicatedMaps(settings, factory));
        for (int number = 1; number <= 3; number++) {
            awaitMembers(number, 3);
        }
    }

    @AfterEach
    void end() {
        cluster.close();
    }

    private ReplicatedMaps maps(int number) {
        return cluster.node(number).service(ReplicatedMaps.class);
    }

    private ReplicatedMap<String, String> map(int number) {
        return maps(number).map("m", PayloadCodec.string(), PayloadCodec.string());
    }

    private void awaitMembers(int number, int count) {
        await("n" + number + " serves with " + count, () -> {
            MapsStatus status = maps(number).status();
            View view = status.view();
            return status.role() == MapsStatus.Role.SERVING
                    && view != null
                    && view.members().size() == count;
        });
    }

    private void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    /** A client that writes at one node again and again. */
    private final class Client implements AutoCloseable {
        private final int number;
        private final Thread thread = new Thread(this::run, "client");
        private volatile boolean closed;
        private volatile long committed;
        private volatile long lastAt = System.nanoTime();
        private volatile long longest;

        Client(int number) {
            this.number = number;
            thread.start();
            await("a commit", () -> committed > 0);
            restart();
        }

        private void run() {
            for (int i = 0; !closed; i++) {
                try {
                    map(number).put("k", "v" + i).toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
                    longest = Math.max(longest, System.nanoTime() - lastAt);
                    lastAt = System.nanoTime();
                    committed++;
                } catch (ExecutionException | TimeoutException e) {
                    // refused, or in doubt: again
                } catch (InterruptedException e) {
                    return;
                }
            }
        }

        void restart() {
            longest = 0;
        }

        /** For how long no write was committed, at most. */
        Duration pause() {
            long now = committed;
            await("another commit", () -> committed > now + 1);
            return Duration.ofNanos(longest);
        }

        @Override
        public void close() {
            closed = true;
            try {
                thread.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private int leader() {
        await("a leader", () -> masters.values().stream().anyMatch(RatisViewMaster::isLeader));
        for (int number = 1; number <= 3; number++) {
            RatisViewMaster master = masters.get("n" + number);
            if (master.isLeader()) {
                return number;
            }
        }
        return leader();
    }

    /** Of the other nodes, from when the lease of a node begins to count until they write without it. */
    private Duration pauseWithout(int node, Runnable end) {
        try (Client client = new Client(1 + node % 3)) {
            end.run();
            awaitMembers(1 + node % 3, 2);
            return client.pause();
        }
    }

    /** Each node once, also the one that leads the master. The control is a death: that is when the lease has to end. */
    @Test
    void atEachStepOfARollingRestartNobodyWaitsForALease() {
        for (int step = 1; step <= 3; step++) {
            int node = step == 1 ? leader() : step == leader() ? 1 : step;
            Duration stopped = pauseWithout(node, () -> cluster.close(node, Duration.ofMinutes(1)));
            assertThat(stopped).as("stop of n" + node).isLessThan(LEASE.dividedBy(2));
            cluster.restart(node);
            awaitMembers(node, 3);
        }
        int leading = leader();

        Duration died = pauseWithout(leading, () -> cluster.crash(leading));

        assertThat(died).isGreaterThan(LEASE.dividedBy(2));
    }

    /** Unless there is no leader for so long that the leases end: a busy machine elects slowly. */
    @Test
    void leasesOutliveTheDeathOfTheLeader() {
        int leading = leader();
        int other = 1 + leading % 3;
        long crashed = System.nanoTime();
        cluster.crash(leading);
        masters.remove("n" + leading);
        boolean isElected = false;
        while (!isElected) {
            isElected = masters.values().stream().anyMatch(RatisViewMaster::isLeader);
            assertThat(System.nanoTime() - crashed).isLessThan(TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS));
        }
        boolean isSoon = System.nanoTime() - crashed < LEASE.toNanos() / 2;

        while (maps(other).status().view().members().size() > 2) {
            assertThat(!isSoon || maps(other).leaseLeft().compareTo(Duration.ZERO) > 0)
                    .as("leader elected in time, lease left")
                    .isTrue();
        }
    }

    /** Two of three directories of the master are gone, and with them what it decided. The stores are whole. */
    @Test
    void anOrderRestoresTheViewAfterTwoOfThreeDirectoriesWereLost() throws Exception {
        map(1).put("k", "kept").toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        for (int number = 1; number <= 3; number++) {
            cluster.crash(number);
        }
        delete(directory.resolve("n1"));
        delete(directory.resolve("n2"));
        cluster.restart(1);
        cluster.restart(2);
        await(
                "the new majority leads without a view",
                () -> masters.values().stream().anyMatch(RatisViewMaster::isLeader));
        cluster.restart(3);

        ViewMaster.Restoration plan = restoration(true);
        assertThat(plan.view().members()).extracting(NodeId::value).containsExactly("n1", "n2", "n3");
        assertThat(maps(1).status().view()).as("a dry run does nothing").isNull();
        ViewMaster.Restoration done = restoration(false);

        assertThat(done.view()).isEqualTo(plan.view());
        for (int number = 1; number <= 3; number++) {
            awaitMembers(number, 3);
            assertThat(map(number).get("k")).isEqualTo("kept");
        }
        map(2).put("k", "new").toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private static void delete(Path lost) throws IOException {
        try (Stream<Path> files = Files.walk(lost)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** Ordered until it is not refused: all must have asked, and all leases must have ended. */
    private ViewMaster.Restoration restoration(boolean dryRun) throws Exception {
        AtomicReference<ViewMaster.Restoration> last = new AtomicReference<>();
        await("a restoration", () -> {
            try {
                last.set(maps(1).restoreView(dryRun).toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS));
            } catch (ExecutionException e) {
                return false; // no majority answers yet
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            return last.get().view() != null;
        });
        return last.get();
    }
}
