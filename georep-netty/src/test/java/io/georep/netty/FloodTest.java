package io.georep.netty;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import io.georep.spi.Transport;
import io.georep.spi.TransportFixture;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Strangers without end, behind the address of a peer that is 100 ms away: the peer gets in, links that are there go on, and
 * the strangers cost few lines of the log, little memory and few descriptors.
 */
@Timeout(120)
class FloodTest extends TransportFixture {
    private static final long EVERY_NANOS = 3_000_000;
    private static final int HELD = 120;
    private static final int ENOUGH = 600;

    /** Ten lines a minute, which may begin in the middle of the flood. */
    private static final int LOG_LINES_MAX = 25;

    private static final long MEMORY_MAX = 48L << 20;

    /** Those of the strangers are in this process, too. */
    private static final long DESCRIPTORS_MAX = 2 * HELD + 150;

    /** What a stranger does with a connection, again and again until it is closed for him. */
    @FunctionalInterface
    private interface Act {
        void on(Socket socket, int step) throws IOException;
    }

    enum Stranger {
        BARE((socket, step) -> {}),
        HALF_A_HANDSHAKE((socket, step) -> {
            if (step == 0) {
                socket.getOutputStream().write(WireWords.ascii("GEOS\1\1half"));
            }
        }),
        BYTE_BY_BYTE((socket, step) -> {
            if (step < 38) {
                socket.getOutputStream().write(WireWords.preamble(1, 1)[step]);
            }
        }),
        WRONG_SECRET((socket, step) -> {
            if (step == 0) {
                socket.getOutputStream().write(WireWords.join(WireWords.preamble(1, 1), WireWords.preamble(3, 2)));
            }
        }),
        NOISE((socket, step) -> socket.getOutputStream().write(new byte[8192]));

        private final Act act;

        Stranger(Act act) {
            this.act = act;
        }
    }

    @Override
    protected Transport newTransport() {
        return new NettyTransport(NettyTransportConfig.builder()
                .reconnectDelayMin(Duration.ofMillis(20))
                .reconnectDelayMax(Duration.ofMillis(100))
                .handshakeTimeout(Duration.ofSeconds(5))
                .secret(SharedSecret.of(new byte[32]))
                .build());
    }

    @ParameterizedTest
    @EnumSource
    void strangersCostLittleAndKeepNobodyOut(Stranger stranger) throws Exception {
        Node a = start(A);
        Node b = start(B);
        Node c = start(C);
        link(a, b);
        long memory = memory();
        long descriptors = descriptors();
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger opened = new AtomicInteger();
        Thread flood = new Thread(() -> flood(port(b), stranger, opened, over));
        try (CapturedLog log = new CapturedLog(
                        "io.georep.netty.internal.LinkLayer",
                        "io.georep.netty.internal.accept.AcceptHandshake",
                        "io.netty.channel.DefaultChannelPipeline",
                        "io.netty.channel.ChannelInitializer");
                DistantPlace place = new DistantPlace(port(b), Duration.ofMillis(50))) {
            flood.start();
            await("a flood", () -> opened.get() > ENOUGH);

            c.transport().targets(Map.of(B, place.address()), List.of());
            awaitUp(c, b);
            a.send(b, number(1));
            c.send(b, number(2));
            await("frames of both", () -> b.heard().frames().size() == 2);

            assertThat(descriptors() - descriptors).isLessThan(DESCRIPTORS_MAX);
            assertThat(memory() - memory).isLessThan(MEMORY_MAX);
            assertThat(log.text().lines().count()).isLessThanOrEqualTo(LOG_LINES_MAX);
            assertThat(a.heard().downs(B)).isZero();
            assertThat(b.heard().downs(C)).isZero();
        } finally {
            over.set(true);
            flood.join();
        }
        await("descriptors are given back", () -> descriptors() - descriptors < 40);
    }

    private static void flood(int port, Stranger stranger, AtomicInteger opened, AtomicBoolean over) {
        ArrayDeque<Socket> held = new ArrayDeque<>();
        int step = 0;
        while (!over.get()) {
            try {
                Socket socket = new Socket();
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 20_000);
                stranger.act.on(socket, 0);
                held.add(socket);
                opened.incrementAndGet();
            } catch (IOException e) {
                // It was displaced already.
            }
            if (held.size() > HELD) {
                closeQuietly(held.remove());
            }
            step++;
            Socket again = held.isEmpty() ? null : held.remove();
            if (again != null && isActed(again, stranger, 1 + step / HELD)) {
                held.add(again);
            }
            LockSupport.parkNanos(EVERY_NANOS);
        }
        held.forEach(FloodTest::closeQuietly);
    }

    private static boolean isActed(Socket socket, Stranger stranger, int step) {
        try {
            stranger.act.on(socket, step);
            return true;
        } catch (IOException e) {
            closeQuietly(socket);
            return false;
        }
    }

    private static int port(Node node) {
        String address = node.self().address();
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It was closed by the other side.
        }
    }

    /** Heap that is in use, direct buffers, and what Netty keeps of them. */
    private static long memory() {
        System.gc();
        long direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed()
                + direct
                + PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
    }

    private static long descriptors() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? unix.getOpenFileDescriptorCount()
                : 0;
    }
}
