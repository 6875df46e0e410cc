package io.georep.funnel.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.FunnelSettings;
import io.georep.funnel.core.keepers.LeaseClock;
import io.georep.model.NodeId;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long a lease holds on the clocks of a node (rule 20.21). */
class ReadLeaseTest {
    private static final long FROM = -77_000_000_000L;
    private static final long WALL = 1_700_000_000_000L;
    private static final long LENGTH = TimeUnit.SECONDS.toNanos(2);

    private static ReadLease lease(double error, long length) {
        return ReadLease.granted(FROM, WALL, length, FunnelSettings.defaults().lease(Duration.ofNanos(length), error));
    }

    private static boolean holdsAt(ReadLease lease, long nanos, long partedMillis) {
        return lease.holds(FROM + nanos, WALL + TimeUnit.NANOSECONDS.toMillis(nanos) + partedMillis);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.01, 0.1, 0.2})
    void isShorterByTheErrorOfTheClock(double error) {
        ReadLease lease = lease(error, LENGTH);
        long end = (long) (LENGTH * (1 - error));

        assertThat(lease.untilNanos()).isBetween(FROM + end - 1, FROM + end + 1);
        assertThat(holdsAt(lease, end - 2, 0)).isTrue();
        assertThat(holdsAt(lease, end + 2, 0)).isFalse();
    }

    /** What a node may lose to a slow clock and to a stand-still together is what the master waits for beyond the lease. */
    @ParameterizedTest
    @ValueSource(doubles = {0, 0.01, 0.1, 0.2})
    void hasEndedForTheMasterOnlyWhenItHasForTheNode(double error) {
        for (long length : new long[] {TimeUnit.MILLISECONDS.toNanos(100), LENGTH, TimeUnit.HOURS.toNanos(1)}) {
            ReadLease lease = lease(error, length);
            long onNode = lease.untilNanos() - FROM;
            long stoodStill = 0;
            while (holdsAt(lease, onNode - 1, stoodStill + 1)) {
                stoodStill++;
            }
            double trueNanos = onNode / (1 - error) + stoodStill * 1e6;
            LeaseClock master = new LeaseClock(error, length, length, 0);

            assertThat(master.ended(NodeId.of("n"), (long) (trueNanos * (1 + error))))
                    .isFalse();
        }
    }

    @Test
    void isVoidWhenTheClocksHaveParted() {
        ReadLease lease = lease(0.01, LENGTH);
        for (long at : new long[] {0, LENGTH / 2}) {
            for (long parted : new long[] {-3_600_000, -21, 21, 8_000}) {
                assertThat(holdsAt(lease, at, parted)).as(parted + " ms").isFalse();
            }
            assertThat(holdsAt(lease, at, 15) && holdsAt(lease, at, -15)).isTrue();
        }
    }

    @Test
    void noneNeverHolds() {
        for (long nanos : new long[] {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE}) {
            assertThat(ReadLease.NONE.holds(nanos, nanos / 1_000_000)).isFalse();
        }
        assertThat(ReadLease.granted(FROM, WALL, 0, FunnelSettings.defaults())).isSameAs(ReadLease.NONE);
    }
}
