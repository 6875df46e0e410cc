package io.georep.netty;

import static io.georep.netty.UnderAttack.AMS;
import static io.georep.netty.UnderAttack.NYC;
import static io.georep.netty.UnderAttack.SFO;
import static io.georep.netty.WireWords.frame;
import static io.georep.netty.WireWords.greeting;
import static io.georep.netty.WireWords.hello;
import static io.georep.netty.WireWords.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.UnixOperatingSystemMXBean;
import io.georep.netty.UnderAttack.Protection;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * One limited certificate, or one broken node, may cost its own messages, never the service of others: two honest nodes go on
 * exchanging messages while a third one says whatever can be said, floods, repeats itself, and reads nothing.
 */
@Timeout(180)
class BuggyPeersTest {
    private static final String EDGE = "edge-1";
    private static final int FRAMES = 6_000;
    private static final int FRAMES_PER_LINK = 200;
    private static final int GHOSTS_MAX = 32;
    private static final int LOG_LINES_MAX = 60;
    private static final long HEAP_GROWTH_MAX = 96L << 20;
    private static final long DESCRIPTORS_MAX = 40;

    private final UnderAttack cluster = new UnderAttack(Protection.TLS).start();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicInteger said = new AtomicInteger();
    private final AtomicBoolean over = new AtomicBoolean();

    @AfterEach
    void stop() throws IOException {
        over.set(true);
        for (Socket socket : sockets) {
            socket.close();
        }
        cluster.close();
    }

    @ParameterizedTest
    @CsvSource({"georep-limited, 1", "georep-limited, 2", "georep, 3"})
    void whateverAPeerSaysTheOthersGoOn(String scheme, long seed) throws Exception {
        X509Bundle own = UnderAttack.signed(scheme + ":" + WireWords.CLUSTER + "/" + EDGE);
        long heap = heap();
        long descriptors = descriptors();
        try (ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread listener = daemon(() -> listen(door, own));
            Thread talker = daemon(() -> talk(own, seed, "127.0.0.1:" + door.getLocalPort()));
            int batches = 0;
            while (said.get() < FRAMES && talker.isAlive()) {
                cluster.send(5);
                batches++;
            }
            talker.join();
            assertThat(said.get()).as("seed %d", seed).isGreaterThanOrEqualTo(FRAMES);
            assertThat(batches).isGreaterThan(3);
            door.close();
            listener.join();
        }

        cluster.assertEachOfOursIsForwardedOnce();

        for (String node : List.of(AMS, NYC, SFO)) {
            assertThat(cluster.nodes.get(node).ready(2))
                    .as("%s, seed %d", node, seed)
                    .isTrue();
            if (scheme.endsWith("limited")) {
                assertThat(cluster.nodes.get(node).peers()).as(node).hasSizeLessThanOrEqualTo(3 + GHOSTS_MAX);
            }
        }
        // Entries of its own that nobody can read become dead letters, each with its line: 500 a minute at most.
        assertThat(cluster.log
                        .text()
                        .lines()
                        .filter(line -> !line.contains("georep.event=dead-letter"))
                        .count())
                .isLessThanOrEqualTo(LOG_LINES_MAX);
        await("memory is given back").until(() -> heap() - heap < HEAP_GROWTH_MAX);
        await("descriptors are given back").until(() -> descriptors() - descriptors < DESCRIPTORS_MAX);
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "a buggy peer");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Whoever dials it is welcome, and never read. */
    private void listen(ServerSocket door, X509Bundle own) {
        while (!over.get()) {
            try {
                Socket accepted = door.accept();
                sockets.add(accepted);
                accepted.setReceiveBufferSize(4096);
                Socket secure = UnderAttack.answering(accepted, own);
                OutputStream out = secure.getOutputStream();
                out.write(WireWords.accept(EDGE, "127.0.0.1:" + door.getLocalPort()));
            } catch (Exception e) {
                if (door.isClosed()) {
                    return;
                }
            }
        }
    }

    /** Comes again whenever it is turned out, and at times says all of it twice. */
    private void talk(X509Bundle own, long seed, String address) {
        BuggyWords words = new BuggyWords(
                RandomGeneratorFactory.of("L64X128MixRandom").create(seed), EDGE, cluster.entries(), seed < 3);
        while (said.get() < FRAMES && !over.get()) {
            try (Socket plain = cluster.connect(NYC)) {
                Socket secure = UnderAttack.certified(own).on(plain);
                OutputStream out = secure.getOutputStream();
                out.write(join(hello(EDGE, address), frame(1, greeting())));
                for (int i = 2; i < FRAMES_PER_LINK; i++) {
                    byte[] drawn = words.frame(i);
                    out.write(i % 10 == 0 ? join(drawn, drawn) : drawn);
                    said.incrementAndGet();
                }
            } catch (Exception e) {
                // Turned out: what it said could not be read.
            }
        }
    }

    private static long heap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static long descriptors() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? unix.getOpenFileDescriptorCount()
                : 0;
    }
}
