package io.georep.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlightProfileTest {
    private final FlightProfile profile = new FlightProfile();

    @Test
    void countsThreadsThatDifferInNumbersTogether() {
        profile.sampled("link-1", List.of("java.lang.Math.max", "io.georep.A.b"), false);
        profile.sampled("link-22", List.of("java.lang.Math.min", "io.georep.A.b"), false);

        FlightProfile.ThreadProfile thread = profile.threads().get("link-N");

        assertThat(profile.threads()).hasSize(1);
        assertThat(thread.samples()).isEqualTo(2);
        assertThat(thread.top()).containsExactly(entry("java.lang.Math.max", 1L), entry("java.lang.Math.min", 1L));
        assertThat(thread.under()).containsExactly(entry("io.georep.A.b", 2L));
    }

    @Test
    void countsARecursiveMethodOncePerSample() {
        profile.sampled("main", List.of("io.georep.A.b", "io.georep.A.b", "io.georep.A.c"), false);

        assertThat(profile.threads().get("main").under())
                .containsExactly(entry("io.georep.A.b", 1L), entry("io.georep.A.c", 1L));
    }

    @Test
    void doesNotCountThreadsThatWait() {
        profile.sampled("driver", List.of("jdk.internal.misc.Unsafe.park", "io.georep.A.b"), true);
        profile.sampled("link", List.of("io.netty.channel.epoll.Native.epollWait", "io.georep.A.b"), true);
        profile.sampled("store", List.of("sun.nio.ch.FileDispatcherImpl.force0", "io.georep.A.b"), true);
        profile.sampled("main", List.of("sun.nio.ch.SocketDispatcher.read0", "sun.nio.ch.NioSocketImpl.read"), true);
        profile.sampled("main", List.of("sun.nio.ch.Net.poll", "sun.nio.ch.NioSocketImpl.park"), true);
        profile.sampled("main", List.of(), false);

        assertThat(profile.samples()).isZero();
        assertThat(profile.threads()).isEmpty();
    }

    @Test
    void countsReadsOfEventLoopsAndNativeWork() {
        profile.sampled(
                "link", List.of("sun.nio.ch.SocketDispatcher.read0", "sun.nio.ch.SocketChannelImpl.read"), true);
        profile.sampled("store", List.of("org.rocksdb.RocksDB.write0"), true);

        assertThat(profile.samples()).isEqualTo(2);
    }

    @Test
    void addsAllocatedBytesByOurInnermostMethod() {
        profile.allocated("[B", List.of("java.util.Arrays.copyOf", "io.georep.A.b", "io.georep.A.c"), 100);
        profile.allocated("[B", List.of("io.georep.A.b"), 20);
        profile.allocated("[B", List.of("java.lang.Thread.run"), 3);

        assertThat(profile.allocated()).containsExactly(entry("[B in ?", 3L), entry("[B in io.georep.A.b", 120L));
        assertThat(profile.allocatedBytes()).isEqualTo(123);
    }

    @Test
    void printsSharesLargestFirst() {
        for (int i = 0; i < 3; i++) {
            profile.sampled("busy", List.of("io.georep.A.hot"), false);
        }
        profile.sampled("busy", List.of("io.georep.A.warm"), false);
        profile.sampled("calm", List.of("io.georep.A.warm"), false);
        ByteArrayOutputStream printed = new ByteArrayOutputStream();

        ProfileReport.print(profile, new PrintStream(printed, true, StandardCharsets.UTF_8));

        assertThat(printed.toString(StandardCharsets.UTF_8))
                .containsSubsequence(
                        "busy: 4 samples, 80.0% of all",
                        " 75.0%  io.georep.A.hot", " 25.0%  io.georep.A.warm", "calm: 1 samples, 20.0% of all");
    }

    @Test
    void readsARecording(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("test.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("jdk.ObjectAllocationSample").withStackTrace().with("throttle", "1000/s");
            recording.start();
            List<byte[]> kept = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                kept.add(new byte[1 << 20]);
            }
            recording.stop();
            assertThat(kept).hasSize(20);
            recording.dump(file);
        }

        profile.read(file);

        assertThat(profile.allocated()).containsKey("[B in io.georep.bench.cluster.FlightProfileTest.readsARecording");
    }
}
