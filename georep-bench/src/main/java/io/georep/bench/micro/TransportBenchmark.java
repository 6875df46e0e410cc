package io.georep.bench.micro;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.netty.NettyTransport;
import io.georep.netty.NettyTransportConfig;
import io.georep.spi.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Frames over links on the loopback interface, both ends in this process. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class TransportBenchmark {
    private static final NodeId SENDER = NodeId.of("sender");

    /** Of one protocol that is alone on its link. */
    private static final int LANE = 2;

    private static final NodeId RECEIVER = NodeId.of("receiver");
    private static final long WAIT_MILLIS = 30_000;

    /** Bytes of a frame. */
    @Param({"300", "30000"})
    public int frameBytes;

    /** Frames sent with one call, as at the end of a turn. */
    @Param({"1", "100"})
    public int frames;

    private final Arrivals atReceiver = new Arrivals();
    private final Arrivals atSender = new Arrivals();
    private final NettyTransport receiver = new NettyTransport(NettyTransportConfig.defaults());
    private final NettyTransport sender = new NettyTransport(NettyTransportConfig.defaults());
    private List<Transport.Outgoing> turn = List.of();
    private List<Transport.Outgoing> reply = List.of();
    private long sent;

    /** Opens a link each way. */
    @Setup
    public void connect() throws InterruptedException {
        String receiverAddress = receiver.start(identity(RECEIVER), atReceiver);
        String senderAddress = sender.start(identity(SENDER), atSender);
        sender.targets(Map.of(RECEIVER, receiverAddress), List.of());
        receiver.targets(Map.of(SENDER, senderAddress), List.of());
        atSender.awaitLink();
        atReceiver.awaitLink();
        turn = new ArrayList<>();
        for (int i = 0; i < frames; i++) {
            turn.add(new Transport.Outgoing(RECEIVER, BenchmarkPayload.bytes(frameBytes), false, LANE));
        }
        reply = List.of(new Transport.Outgoing(SENDER, BenchmarkPayload.bytes(50), false, LANE));
    }

    /** All frames of a turn there, then a small one back. */
    @Benchmark
    public void thereAndBack() throws InterruptedException {
        sent++;
        sender.sendAll(turn);
        atReceiver.await(sent * frames);
        receiver.sendAll(reply);
        atSender.await(sent);
    }

    /** Requires that every byte arrived, and closes the links. */
    @TearDown
    public void close() {
        sender.close();
        receiver.close();
        atReceiver.require(sent * frames, sent * frames * frameBytes);
    }

    private static NodeIdentity identity(NodeId id) {
        return new NodeIdentity(id, 1, 1, id.hashCode(), "127.0.0.1:0", "site");
    }

    /** Counts what arrives, and waits for it. Thread-safe. */
    private static final class Arrivals implements Transport.Listener {
        private boolean linked;
        private long frames;
        private long bytes;
        private long awaited;
        private @Nullable String trouble;

        void awaitLink() throws InterruptedException {
            await(() -> linked);
        }

        synchronized void await(long count) throws InterruptedException {
            awaited = count;
            await(() -> frames >= count);
        }

        /** Bounded, since a lost frame would be waited for in vain: the transport promises nothing. */
        private synchronized void await(BooleanSupplier condition) throws InterruptedException {
            long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(WAIT_MILLIS);
            while (!condition.getAsBoolean()) {
                if (trouble != null || System.nanoTime() > deadline) {
                    throw new IllegalStateException(
                            trouble == null ? "a frame or a link did not arrive" : "a link broke: " + trouble);
                }
                wait(WAIT_MILLIS);
            }
        }

        synchronized void require(long framesExpected, long bytesExpected) {
            if (frames != framesExpected || bytes != bytesExpected) {
                throw new IllegalStateException(frames + " frames with " + bytes + " bytes arrived, " + framesExpected
                        + " with " + bytesExpected + " were sent");
            }
        }

        @Override
        public synchronized void linkUp(NodeIdentity peer) {
            linked = true;
            notifyAll();
        }

        @Override
        public synchronized void linkDown(NodeId peer, String reason) {
            trouble = reason;
            notifyAll();
        }

        @Override
        public synchronized void frame(NodeIdentity from, byte[] frame, boolean urgent) {
            frames++;
            bytes += frame.length;
            if (frames >= awaited) {
                notifyAll();
            }
        }

        @Override
        public void lifeSign(NodeIdentity from) {}

        @Override
        public void writable(NodeId peer, int lane, boolean writable) {}

        @Override
        public synchronized void refused(String address, String reason) {
            trouble = reason;
            notifyAll();
        }
    }
}
