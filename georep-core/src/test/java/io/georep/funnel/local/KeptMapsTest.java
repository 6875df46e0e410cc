package io.georep.funnel.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.FunnelSettings;
import io.georep.funnel.MapsStatus;
import io.georep.funnel.ReplicatedMap;
import io.georep.funnel.ReplicatedMaps;
import io.georep.funnel.View;
import io.georep.funnel.ViewGroup;
import io.georep.funnel.ViewMaster;
import io.georep.spi.PayloadCodec;
import io.georep.testing.LocalCluster;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Maps on three nodes that keep their views themselves. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
@Tag("servers")
class KeptMapsTest {
    private static final long PATIENCE_SECONDS = 60;
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** Long, so that a busy machine changes nothing about what is slow and what is quick. */
    private static final Duration LEASE = Duration.ofSeconds(6);

    private final FunnelSettings settings = FunnelSettings.defaults().lease(LEASE, 0.01);

    private LocalCluster cluster;

    @BeforeEach
    void start() {
        ViewMaster.Factory master = ViewMaster.Factory.keptBy(ViewGroup.of("n1", "n2", "n3"));
        cluster = LocalCluster.start(3, builder -> builder.replicatedMaps(settings, master));
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
            LockSupport.parkNanos(POLL_NANOS);
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

    /** Of the other nodes, from when the lease of a node begins to count until they write without it. */
    private Duration pauseWithout(int node, Runnable end) {
        try (Client client = new Client(1 + node % 3)) {
            end.run();
            awaitMembers(1 + node % 3, 2);
            return client.pause();
        }
    }

    /** Each node once, so also the one that leads the keepers. The control is a death: that is when the lease has to end. */
    @Test
    void atEachStepOfARollingRestartNobodyWaitsForALease() {
        for (int node = 1; node <= 3; node++) {
            int stopping = node;
            Duration stopped = pauseWithout(node, () -> cluster.close(stopping, Duration.ofMinutes(1)));
            assertThat(stopped).as("stop of n" + node).isLessThan(LEASE.dividedBy(2));
            cluster.restart(node);
            awaitMembers(node, 3);
        }

        Duration died = pauseWithout(1, () -> cluster.crash(1));

        assertThat(died).isGreaterThan(LEASE.dividedBy(2));
    }

    /** And an operator is told what the order would do, and why it does nothing. */
    @Test
    void withoutAMajorityNobodyServesForLong() throws Exception {
        map(1).put("k", "v").toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(maps(1).restoreView(false)
                        .toCompletableFuture()
                        .get(PATIENCE_SECONDS, TimeUnit.SECONDS)
                        .refusal())
                .contains("nothing to restore");
        cluster.crash(2);
        cluster.crash(3);

        await("no lease is left", () -> maps(1).leaseLeft().isZero());
        await("a refusal", () -> refusal().contains("2 of the keepers [n1, n2, n3] must run and reach each other"));

        cluster.restart(2);
        cluster.restart(3);
        await("a lease", () -> !maps(1).leaseLeft().isZero());
        assertThat(map(1).get("k")).isEqualTo("v");
    }

    private String refusal() {
        try {
            return maps(1).restoreView(true)
                    .toCompletableFuture()
                    .get(PATIENCE_SECONDS, TimeUnit.SECONDS)
                    .refusal();
        } catch (ExecutionException e) {
            return ""; // a leader was known a moment ago
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }
}
