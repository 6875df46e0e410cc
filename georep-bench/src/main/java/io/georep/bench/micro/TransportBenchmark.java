package io.georep.bench.micro;

import com.sun.management.OperatingSystemMXBean;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.netty.NettyTransport;
import io.georep.netty.NettyTransportConfig;
import io.georep.spi.Transport;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Frames per second and per CPU-second over one link on the loopback interface, both ends in this process. The sender
 * works in bursts, as a node's turn does, with a bounded number of frames on their way.
 *
 * <p>Arguments: seconds per measurement (3), then any number of {@code frameBytes:burst:inFlight}.
 */
public final class TransportBenchmark {
    private static final NodeId SENDER = NodeId.of("sender");
    private static final NodeId RECEIVER = NodeId.of("receiver");
    private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final AtomicLong received = new AtomicLong();
    private long sent;

    private TransportBenchmark() {}

    /** Runs the measurements one after the other. */
    public static void main(String[] arguments) throws InterruptedException {
        long seconds = arguments.length > 0 ? Long.parseLong(arguments[0]) : 3;
        List<String> cases = arguments.length > 1
                ? List.of(arguments).subList(1, arguments.length)
                : List.of("300:1:1", "300:10:1000", "300:100:10000", "16384:4:256", "262144:1:16");
        System.out.printf("%-18s %12s %16s %10s%n", "bytes:burst:flying", "frames/s", "frames/CPU-s", "MB/s");
        for (String one : cases) {
            String[] numbers = one.split(":", -1);
            new TransportBenchmark()
                    .run(
                            one,
                            Integer.parseInt(numbers[0]),
                            Integer.parseInt(numbers[1]),
                            Integer.parseInt(numbers[2]),
                            TimeUnit.SECONDS.toNanos(seconds));
        }
    }

    private void run(String label, int frameBytes, int burst, int inFlight, long nanos) throws InterruptedException {
        CountDownLatch up = new CountDownLatch(1);
        NettyTransportConfig config = NettyTransportConfig.defaults();
        try (NettyTransport receiver = new NettyTransport(config);
                NettyTransport sender = new NettyTransport(config)) {
            String address = receiver.start(identity(RECEIVER), new Counting(up));
            sender.start(identity(SENDER), new Counting(up));
            sender.targets(Map.of(RECEIVER, address), List.of());
            up.await();
            byte[] frame = new byte[frameBytes];
            pump(sender, frame, burst, inFlight, WARM_UP_NANOS);
            long framesBefore = sent;
            long cpuBefore = cpuNanos();
            long start = System.nanoTime();
            pump(sender, frame, burst, inFlight, nanos);
            double elapsed = (System.nanoTime() - start) / 1e9;
            double cpu = (cpuNanos() - cpuBefore) / 1e9;
            long frames = sent - framesBefore;
            System.out.printf(
                    Locale.ROOT,
                    "%-18s %,12.0f %,16.0f %10.0f%n",
                    label,
                    frames / elapsed,
                    frames / cpu,
                    frames / elapsed * frameBytes / 1e6);
        }
    }

    private void pump(Transport sender, byte[] frame, int burst, int inFlight, long nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() < end) {
            for (int i = 0; i < burst; i++) {
                sender.send(RECEIVER, frame, false);
            }
            sent += burst;
            while (sent - received.get() > inFlight - burst) {
                LockSupport.parkNanos(1);
            }
        }
        while (received.get() < sent) {
            LockSupport.parkNanos(1);
        }
    }

    private static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private static NodeIdentity identity(NodeId id) {
        return new NodeIdentity(id, 1, 1, id.hashCode(), "127.0.0.1:0", "site");
    }

    private final class Counting implements Transport.Listener {
        private final CountDownLatch up;

        Counting(CountDownLatch up) {
            this.up = up;
        }

        @Override
        public void linkUp(NodeIdentity peer) {
            up.countDown();
        }

        @Override
        public void linkDown(NodeId peer, String reason) {}

        @Override
        public void frame(NodeIdentity from, byte[] frame) {
            received.incrementAndGet();
        }

        @Override
        public void lifeSign(NodeIdentity from) {}

        @Override
        public void writable(NodeId peer, boolean writable) {}

        @Override
        public void refused(String address, String reason) {}
    }
}
