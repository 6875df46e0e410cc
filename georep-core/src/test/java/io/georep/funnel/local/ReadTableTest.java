package io.georep.funnel.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.FunnelSettings;
import io.georep.funnel.core.ReadLease;
import io.georep.model.Slice;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What readers see while the driver changes it. */
@Timeout(60)
class ReadTableTest {
    /** What the wall clock shows when a lease of {@link #until} is about to end. */
    private static final long WALL = 86;

    private final AtomicLong now = new AtomicLong(1000);
    private final AtomicLong wall = new AtomicLong(WALL);

    /** A lease that ends at this time. */
    private static ReadLease until(long nanos) {
        return ReadLease.granted(nanos - 90_000_000, 0, 100_000_000, FunnelSettings.defaults());
    }

    static ReadLease anHour() {
        return ReadLease.granted(
                System.nanoTime(), System.currentTimeMillis(), TimeUnit.HOURS.toNanos(1), FunnelSettings.defaults());
    }

    static Slice key(int number) {
        return Slice.utf8("key " + number);
    }

    static Slice value(long number) {
        return Slice.utf8(Long.toString(number));
    }

    static long number(Slice value) {
        return Long.parseLong(new String(value.toArray(), StandardCharsets.UTF_8));
    }

    private ReadTable table(int absentMax) {
        ReadTable table = new ReadTable(absentMax);
        table.clock(now::get, wall::get);
        return table;
    }

    @Test
    void aKeyIsReadWhileTheLeaseHoldsAndNotLonger() {
        ReadTable table = table(10);
        table.clean(key(1), null, value(7));
        ReadTable.ReadCell cell = table.cell(key(1));
        assertThat(table.read(cell)).isSameAs(ReadTable.UNKNOWN);

        table.readable(until(1010));
        assertThat(number(table.read(cell))).isEqualTo(7);
        now.set(1009);
        assertThat(number(table.read(key(1)))).isEqualTo(7);
        now.set(1010);
        assertThat(table.read(cell)).isSameAs(ReadTable.UNKNOWN);
        assertThat(table.read(key(1))).isSameAs(ReadTable.UNKNOWN);
        assertThat(table.leaseLeftNanos()).isZero();

        table.readable(ReadLease.NONE);
        assertThat(table.read(cell)).isSameAs(ReadTable.UNKNOWN);
    }

    /** The monotonic clock stood still, or the wall clock was stepped: the reader itself sees it, before any turn of the node. */
    @Test
    void nothingIsReadWhenTheTwoClocksHaveParted() {
        ReadTable table = table(10);
        table.clean(key(1), null, value(7));
        table.readable(until(1010));
        ReadTable.ReadCell cell = table.cell(key(1));
        for (long parted : new long[] {-10_000, -20, 20, 8_000}) {
            wall.set(WALL + parted);
            assertThat(table.read(cell)).isSameAs(ReadTable.UNKNOWN);
            assertThat(table.read(key(1))).isSameAs(ReadTable.UNKNOWN);
            assertThat(table.leaseLeftNanos()).isZero();
            assertThat(table.forEach((key, state) -> {})).isFalse();
        }
        wall.set(WALL + 4);
        assertThat(number(table.read(cell))).isEqualTo(7);
        assertThat(table.forEach((key, state) -> wall.addAndGet(8_000)))
                .as("suspended during the walk")
                .isFalse();
    }

    @Test
    void aLeaseHoldsAcrossTheWrapOfTheClock() {
        ReadTable table = table(10);
        now.set(Long.MAX_VALUE - 5);
        table.clean(key(1), null, value(7));
        table.readable(until(now.get() + 10));

        assertThat(number(table.read(key(1)))).isEqualTo(7);
        now.addAndGet(9);
        assertThat(number(table.read(key(1)))).isEqualTo(7);
        now.addAndGet(1);
        assertThat(table.read(key(1))).isSameAs(ReadTable.UNKNOWN);
    }

    @Test
    void aDirtyKeyIsNotReadUntilItIsCleanAgain() {
        ReadTable table = table(10);
        table.readable(until(1_000_000));
        ReadTable.ReadCell absent = table.cell(key(1));
        assertThat(table.read(absent)).isSameAs(ReadTable.ABSENT);

        table.dirty(key(1), null);
        table.dirty(key(1), null);
        assertThat(table.read(absent)).isSameAs(ReadTable.UNKNOWN);
        assertThat(table.read(key(1))).isSameAs(ReadTable.UNKNOWN);

        table.clean(key(1), null, value(2));
        assertThat(number(table.read(absent))).isEqualTo(2);

        table.dirty(key(1), null);
        table.clean(key(1), null, null);
        assertThat(table.read(absent)).isSameAs(ReadTable.GONE);
        assertThat(table.read(key(1))).isSameAs(ReadTable.ABSENT);
        assertThat(table.size()).isZero();
    }

    @Test
    void placeOfAKeyIsGoodUntilTheKeyHasNoValue() {
        ReadTable table = table(1);
        table.readable(until(1_000_000));
        Object place = table.dirty(key(1), null);
        assertThat(table.clean(key(1), place, value(2))).isSameAs(place);
        assertThat(number(table.read(key(1)))).isEqualTo(2);
        assertThat(table.clean(key(1), place, null)).isNull();
        table.dirty(key(1), place); // too old: looked up all the same
        assertThat(table.read(key(1))).isSameAs(ReadTable.UNKNOWN);
    }

    @Test
    void cellsOfKeysWithoutValueAreBoundedAndTheOldestGoesFirst() {
        ReadTable table = table(3);
        table.readable(until(1_000_000));
        List<ReadTable.ReadCell> cells = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            cells.add(table.cell(key(i)));
        }
        table.dirty(key(0), null);
        table.cell(key(3));
        assertThat(table.read(cells.get(0))).as("the driver's").isSameAs(ReadTable.UNKNOWN);
        table.cell(key(4));
        assertThat(table.read(cells.get(1))).isSameAs(ReadTable.GONE);
        assertThat(table.read(cells.get(2))).isSameAs(ReadTable.ABSENT);

        table.clean(key(1), null, value(1));
        assertThat(table.read(cells.get(1))).as("gone for ever").isSameAs(ReadTable.GONE);
        assertThat(number(table.read(key(1)))).isEqualTo(1);
        for (int i = 100; i < 200; i++) {
            table.cell(key(i));
        }
        assertThat(table.size()).isEqualTo(5);
    }

    @Test
    void aWalkOverAllKeysNoticesThatTheLeaseWasGoneInBetween() {
        ReadTable table = table(10);
        table.clean(key(1), null, value(1));
        table.dirty(key(2), null);
        table.cell(key(3));
        assertThat(table.forEach((key, state) -> {})).isFalse();

        table.readable(until(2000));
        List<Slice> seen = new ArrayList<>();
        assertThat(table.forEach((key, state) -> seen.add(key))).isTrue();
        assertThat(seen).containsExactlyInAnyOrder(key(1), key(2));

        now.set(1999);
        assertThat(table.forEach((key, state) -> table.readable(until(3000))))
                .as("renewed in time")
                .isTrue();
        assertThat(table.forEach((key, state) -> {
                    now.set(3000);
                    table.readable(until(4000));
                }))
                .as("renewed too late")
                .isFalse();
        assertThat(table.forEach((key, state) -> {
                    table.readable(ReadLease.NONE);
                    table.readable(until(5000));
                }))
                .as("taken away")
                .isFalse();
        assertThat(table.forEach((key, state) -> now.set(5000))).isFalse();
    }

    /** The lease is taken away between two looks of the reader: what it saw of the contents in between does not count. */
    @Test
    void aReaderThatIsOvertakenByANewLeaseLooksAgain() {
        ReadTable table = new ReadTable(10);
        AtomicLong step = new AtomicLong();
        table.clock(
                () -> {
                    if (step.getAndIncrement() == 0) {
                        // The reader has seen value 1 under no lease, and stands between its looks.
                        table.clock(() -> 2000, () -> WALL);
                        table.clean(key(1), null, value(2));
                        table.readable(until(3000));
                    }
                    return 1000;
                },
                () -> WALL);
        table.clean(key(1), null, value(1));

        assertThat(number(table.read(key(1)))).isEqualTo(2);
    }

    /** A table in which something happens around the reader's first look at the lease. */
    private static final class Interrupted extends ReadTable {
        Runnable before = () -> {};
        Runnable after = () -> {};

        @Override
        Term term() {
            Runnable first = before;
            before = () -> {};
            first.run();
            Term seen = super.term();
            Runnable second = after;
            after = () -> {};
            second.run();
            return seen;
        }
    }

    private static Interrupted interrupted() {
        Interrupted table = new Interrupted();
        table.clock(() -> 1000, () -> WALL);
        table.clean(key(1), null, value(1));
        return table;
    }

    /** A reader that has seen the key before the lease was given must not take the lease for one that held then. */
    @Test
    void theLeaseIsLookedAtBeforeTheKey() {
        for (boolean byCell : new boolean[] {true, false}) {
            Interrupted table = interrupted();
            ReadTable.ReadCell cell = table.cell(key(1));
            table.before = () -> {
                table.clean(key(1), null, value(2));
                table.readable(until(2000));
            };

            assertThat(number(byCell ? table.read(cell) : table.read(key(1)))).isEqualTo(2);
        }
    }

    /** A member that drops all it has and gets it anew has the lease it had: what is missing in between is not absent. */
    @Test
    void aLeaseThatWasAwayAndComesBackAsItWasIsAnotherOne() {
        for (boolean byCell : new boolean[] {true, false}) {
            Returning table = new Returning();
            ReadTable.ReadCell cell = table.cell(key(1));

            Slice read = byCell ? table.read(cell) : table.read(key(1));

            assertThat(read).isNotSameAs(ReadTable.ABSENT);
            assertThat(table.looks).as("the first two looks did not count").isGreaterThan(2);
        }
    }

    /** Between the first two looks at the lease it drops all; before the second it has it again. */
    private static final class Returning extends ReadTable {
        private final ReadLease lease = until(2000);
        int looks;

        Returning() {
            clock(() -> 1000, () -> WALL);
            clean(key(1), null, value(1));
            readable(lease);
        }

        @Override
        Term term() {
            looks++;
            if (looks == 2) {
                clean(key(1), null, value(1));
                readable(lease);
            }
            Term seen = super.term();
            if (looks == 1) {
                readable(ReadLease.NONE);
                clean(key(1), null, null);
            }
            return seen;
        }
    }

    @Test
    void whatIsReplacedAfterTheLeaseWasTakenAwayIsNotSeen() {
        for (boolean byCell : new boolean[] {true, false}) {
            Interrupted table = interrupted();
            ReadTable.ReadCell cell = table.cell(key(1));
            table.readable(until(2000));
            table.after = () -> {
                table.readable(ReadLease.NONE);
                table.clean(key(1), null, value(0));
            };

            assertThat(byCell ? table.read(cell) : table.read(key(1))).isSameAs(ReadTable.UNKNOWN);
        }
    }

    @Test
    void aReadAllocatesNothing() {
        ReadTable table = new ReadTable(10);
        table.clock(System::nanoTime, System::currentTimeMillis);
        table.clean(key(1), null, value(1));
        table.readable(anHour());
        ReadTable.ReadCell cell = table.cell(key(1));
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 20; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 1000; i++) {
                table.read(cell);
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }

        assertThat(least).as("bytes in 1000 reads").isLessThan(1000);
    }
}
