package io.georep.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.Channels;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;

/** Starts transports that can reach each other, waits for what they tell, and closes them after the test. */
public abstract class TransportFixture {
    protected static final NodeId A = NodeId.of("a");
    protected static final NodeId B = NodeId.of("b");
    protected static final NodeId C = NodeId.of("c");
    private static final long PATIENCE_NANOS = 20_000_000_000L;

    protected final Object monitor = new Object();
    private final List<Transport> started = new ArrayList<>();
    private long nonces = 1000;

    /** A transport that is started, with what it told. */
    protected record Node(NodeIdentity self, Transport transport, RecordingListener heard) {
        public void target(Node... peers) {
            Map<NodeId, String> targets = new TreeMap<>();
            for (Node peer : peers) {
                targets.put(peer.self.id(), peer.self.address());
            }
            transport.targets(targets, List.of());
        }

        public void seed(String... addresses) {
            transport.targets(Map.of(), List.of(addresses));
        }

        public void send(Node to, byte[] frame) {
            transport.send(to.self.id(), frame, false);
        }
    }

    /** A new transport, not started. All transports of one test can reach each other. */
    protected abstract Transport newTransport();

    /** An address to listen on that leaves the choice of the port to the transport. */
    protected String anyAddress() {
        return "127.0.0.1:0";
    }

    /** Lets the transports work until the condition holds; a simulated one runs its events here. */
    protected void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        synchronized (monitor) {
            while (!condition.getAsBoolean()) {
                assertThat(System.nanoTime()).as("in time: " + what).isLessThan(deadline);
                try {
                    monitor.wait(20);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    protected final Node start(NodeId id, String address) {
        NodeIdentity identity = new NodeIdentity(id, 1, 7, ++nonces, address, "site-" + id)
                .withChannels(Channels.of(Map.of(1, 1, 77, 1 + (int) (nonces % 100)))
                        .named(Map.of(1, "membership", 77, "sample")));
        Transport transport = newTransport();
        RecordingListener heard = new RecordingListener(monitor);
        String reachable = transport.start(identity, heard);
        started.add(transport);
        return new Node(identity.withAddress(reachable), transport, heard);
    }

    protected final Node start(NodeId id) {
        return start(id, anyAddress());
    }

    protected final void link(Node from, Node to) {
        from.target(to);
        awaitUp(from, to);
    }

    protected final void awaitUp(Node from, Node to) {
        await(from.self.id() + " linked to " + to.self.id(), () -> from.heard.isUp(to.self.id()));
    }

    protected static byte[] number(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    @AfterEach
    final void closeAll() {
        started.forEach(Transport::close);
    }
}
