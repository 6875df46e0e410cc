package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.ProtocolConfig;
import io.georep.model.StoreException;
import io.georep.outbox.core.OutboxProtocol;
import io.georep.protocol.membership.LocalNode;
import io.georep.protocol.membership.Membership;
import io.georep.spi.EntryStore;
import io.georep.spi.PeerSelection;
import io.georep.spi.Ticker;
import io.georep.spi.Transport;
import io.georep.store.memory.MemoryStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/** Nodes in one thread that hand frames to each other, for tests that say what no node would. */
final class WireNet {
    static final NodeId A = NodeId.of("a");
    static final NodeId B = NodeId.of("b");
    static final NodeId C = NodeId.of("c");
    static final long SECOND = 1_000_000_000L;
    static final ProtocolConfig CONFIG = ProtocolConfig.defaults();

    /** One node over a store on the heap, with a transport that hands frames to the others. */
    static final class Node implements EntryStore.Listener, Transport {
        final WireNet net;
        final NodeId id;
        MemoryStore store = new MemoryStore(Runnable::run);
        final ArrayDeque<Input> inputs = new ArrayDeque<>();
        final List<String> refusals = new ArrayList<>();
        Membership membership;
        NodeLoop loop;

        Node(WireNet net, NodeId id) {
            this.net = net;
            this.id = id;
        }

        void boot() {
            membership = new Membership(CONFIG, new LocalNode(id, id + ":1", "site", List.of()));
            OutboxProtocol outbox = new OutboxProtocol(CONFIG, membership, PeerSelection.fixed(List.of(B, C)));
            loop = new NodeLoop(
                    store,
                    StoreWatch.Limits.of(CONFIG),
                    this,
                    net.clock,
                    net.random,
                    membership,
                    List.of(outbox),
                    events -> {});
            store.start(this);
            loop.boot();
        }

        void reboot() {
            store.close();
            store = store.reopen();
            inputs.clear();
            boot();
        }

        boolean turnIfDue() {
            if (inputs.isEmpty() && loop.nextDeadlineNanos() > net.clock.nanos()) {
                return false;
            }
            List<Input> batch = new ArrayList<>(inputs);
            inputs.clear();
            loop.turn(batch);
            return true;
        }

        @Override
        public void durable(long batchNumber) {
            inputs.add(new Input.Durable(batchNumber));
        }

        @Override
        public void scanned(long token, List<EntryStore.Pair> pairs, boolean more) {
            inputs.add(new Input.Scanned(token, pairs, more));
        }

        @Override
        public void full(boolean full) {}

        @Override
        public void failed(StoreException cause) {
            inputs.add(new Input.StoreFailed(cause));
        }

        @Override
        public String start(NodeIdentity self, Listener listener) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void targets(Map<NodeId, String> peers, Collection<String> seeds) {}

        @Override
        public void send(Outgoing outgoing) {
            Node to = net.nodes.get(outgoing.peer());
            byte[] frame = outgoing.frame();
            net.heard.accept(frame);
            if (to != null && !net.cut) {
                to.inputs.add(new Input.Frame(membership.self(), frame));
            }
        }

        @Override
        public void refuse(NodeIdentity peer, String reason) {
            refusals.add(peer.id() + ": " + reason);
        }

        @Override
        public void close() {}
    }

    /** Told every frame that is sent. */
    Consumer<byte[]> heard = frame -> {};

    final Clock clock = new Clock();
    final RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(1);
    final Map<NodeId, Node> nodes = new HashMap<>();

    /** Nothing is delivered: the last words of a node that restarts are lost. */
    boolean cut;

    Node node(NodeId id) {
        Node node = new Node(this, id);
        nodes.put(id, node);
        node.boot();
        return node;
    }

    void run(long nanos) {
        long end = clock.nanos + nanos;
        while (clock.nanos <= end) {
            boolean busy = true;
            for (int turns = 0; busy; turns++) {
                busy = false;
                for (Node node : nodes.values()) {
                    busy |= node.turnIfDue();
                }
                assertThat(turns).as("turns without end").isLessThan(1000);
            }
            clock.nanos += SECOND / 4;
        }
    }

    static final class Clock implements Ticker {
        long nanos = 1_000_000L;

        @Override
        public long nanos() {
            return nanos;
        }

        @Override
        public long wallMillis() {
            return 1_700_000_000_000L + nanos / 1_000_000;
        }
    }
}
