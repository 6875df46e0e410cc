package io.georep.funnel.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinWriter;
import io.georep.model.NodeId;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The writes of one head, of which the first ones may be missing. */
class HeadLogTest {
    private final HeadLog log = new HeadLog();

    private static Write write(long counter) {
        Write.Content put = GroupCodec.content(
                Write.PUT, FunnelNodes.key("k"), FunnelNodes.slice("v"), null, 0, null, 0, null, new BinWriter(64));
        return new Write(
                GroupCodec.group(1, NodeId.of("a"), counter, counter, List.of(put.encoded())), counter, counter, put);
    }

    private void put(long counter) {
        log.reach(counter);
        log.put(write(counter));
    }

    private long first() {
        return Objects.requireNonNull(log.first()).counter;
    }

    @Test
    void theFirstWriteIsTheOneWithTheLeastCounterThatIsHere() {
        assertThat(log.first()).isNull();
        put(3);
        put(7);
        assertThat(first()).isEqualTo(3);
        put(2);
        assertThat(first()).isEqualTo(2);
        log.done(2);
        log.done(3);
        assertThat(first()).isEqualTo(7);
        put(1);
        assertThat(first()).isEqualTo(1);
        log.done(1);
        log.done(7);
        assertThat(log.first()).isNull();
        put(200);
        assertThat(first()).isEqualTo(200);
    }

    /** It is looked for in each turn, and one that is missing may be followed by a million that are done. */
    @Test
    void theFirstWriteIsFoundWithoutALookAtThoseThatAreDone() {
        long begin = cpuNanos();
        int last = HeadLog.AHEAD_MAX - 10;
        log.reach(last);
        for (int counter = 2; counter < last; counter++) {
            log.done(counter);
        }
        put(last);
        long building = cpuNanos() - begin;

        begin = cpuNanos();
        for (int i = 0; i < 2_000; i++) {
            assertThat(log.first()).isNotNull();
        }
        assertThat(cpuNanos() - begin).as("CPU time of 2000 looks").isLessThan(building);
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
