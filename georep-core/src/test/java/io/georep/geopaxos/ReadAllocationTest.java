package io.georep.geopaxos;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.georep.model.Slice;
import io.georep.spi.PayloadCodec;
import io.georep.testing.LocalCluster;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a read on the caller's thread allocates. In a JVM of its own: where several codecs are in use, what one reads from is allocated. */
@Tag("alone")
class ReadAllocationTest extends OrderedMapsCluster {
    private static final int BATCH = 20_000;

    /** But for what the codecs make. */
    @Test
    void aReadAllocatesNothing() {
        PayloadCodec<Boolean> values = new PayloadCodec<>() {
            @Override
            public byte[] encode(Boolean value) {
                return new byte[] {(byte) (value ? 1 : 0)};
            }

            @Override
            public Boolean decode(Slice bytes) {
                return bytes.array()[bytes.offset()] == 1;
            }
        };
        cluster = LocalCluster.start(
                3,
                builder -> builder.orderedMaps(
                        OrderedMapSettings.of("n1", "n2", "n3").times(Duration.ofSeconds(2), Duration.ofSeconds(60))));
        OrderedMap<byte[], Boolean> map = maps(1).map("flags", PayloadCodec.bytes(), values);
        byte[] key = {1, 2, 3};
        get(map.put(key, true));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (least > BATCH / 10 && System.nanoTime() - until < 0) { // until it is compiled
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int read = 0; read < BATCH; read++) {
                assertTrue(map.getBlocking(key));
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least / (double) BATCH).as("bytes for a read").isLessThan(0.1);
    }

    private static void assertTrue(Boolean value) {
        if (!value) {
            throw new AssertionError("another value");
        }
    }
}
