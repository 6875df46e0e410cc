package io.georep.funnel.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.FunnelSettings;
import io.georep.funnel.ReplicatedMap;
import io.georep.funnel.ReplicatedMaps;
import io.georep.funnel.ViewGroup;
import io.georep.funnel.ViewMaster;
import io.georep.spi.PayloadCodec;
import io.georep.testing.LocalCluster;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A member whose application is stuck stays a member: it would stop the writes of all, and nobody would take it out. */
@Timeout(120)
class StuckCallbackTest {
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final long PATIENCE_SECONDS = 60;
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final int WRITES = 100;

    @Test
    void aCallbackThatIsStuckCostsNoLease() throws Exception {
        ViewMaster.Factory master = ViewMaster.Factory.keptBy(ViewGroup.of("n1"));
        FunnelSettings settings = FunnelSettings.defaults().lease(LEASE, 0.01);
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch free = new CountDownLatch(1);
        try (LocalCluster cluster = LocalCluster.start(1, builder -> builder.replicatedMaps(settings, master))) {
            ReplicatedMaps maps = cluster.node(1).service(ReplicatedMaps.class);
            ReplicatedMap<String, String> map = maps.map("m", PayloadCodec.string(), PayloadCodec.string());
            assertThat(isRenewed(maps)).isTrue();
            Thread here = Thread.currentThread();
            // What follows a write that has ended already runs here, and must not be stuck.
            for (int i = 0; i < WRITES; i++) {
                map.put("k", "v").thenRun(() -> {
                    if (Thread.currentThread() != here) {
                        stuck.countDown();
                        stay(free);
                    }
                });
            }
            assertThat(stuck.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            try {
                for (int renewal = 0; renewal < 4; renewal++) {
                    assertThat(isRenewed(maps)).as("renewal " + renewal).isTrue();
                }
            } finally {
                free.countDown();
            }
        }
    }

    private static void stay(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until more is left of the lease than there was. */
    private static boolean isRenewed(ReplicatedMaps maps) {
        long giveUpAt = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        Duration least = maps.leaseLeft();
        while (System.nanoTime() - giveUpAt < 0) {
            Duration left = maps.leaseLeft();
            if (left.compareTo(least.plus(LEASE.dividedBy(10))) > 0) {
                return true;
            }
            least = left.compareTo(least) < 0 ? left : least;
            LockSupport.parkNanos(POLL_NANOS);
        }
        return false;
    }
}
