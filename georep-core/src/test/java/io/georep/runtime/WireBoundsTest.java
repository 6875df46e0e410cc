package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinWriter;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.model.StoreException;
import io.georep.outbox.OutboxCommand;
import io.georep.outbox.OutboxProtocol;
import io.georep.protocol.FrameHeader;
import io.georep.protocol.membership.LocalNode;
import io.georep.protocol.membership.Membership;
import io.georep.protocol.membership.MembershipCommand;
import io.georep.spi.EntryStore;
import io.georep.spi.PeerSelection;
import io.georep.spi.Ticker;
import io.georep.spi.Transport;
import io.georep.store.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each field of each message at its extremes, one at a time, sent to a real node by a hand-made one: what is out of
 * bounds closes the connection and changes nothing; what is in bounds may be relayed, counted up, stored and read again,
 * and no other node refuses what this one says afterwards.
 */
@Timeout(120) // A number that makes a loop endless ends the run, not the build.
class WireBoundsTest {
    private static final NodeId A = NodeId.of("a");
    private static final NodeId B = NodeId.of("b");
    private static final NodeId C = NodeId.of("c");
    private static final long SECOND = 1_000_000_000L;
    private static final ProtocolConfig CONFIG = ProtocolConfig.defaults();

    /** One node over a store on the heap, with a transport that hands frames to the others. */
    private static final class Node implements EntryStore.Listener, Transport {
        final Net net;
        final NodeId id;
        MemoryStore store = new MemoryStore(Runnable::run);
        final ArrayDeque<Input> inputs = new ArrayDeque<>();
        final List<String> refusals = new ArrayList<>();
        Membership membership;
        NodeLoop loop;

        Node(Net net, NodeId id) {
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
        public void send(NodeId peer, byte[] frame, boolean urgent) {
            Node to = net.nodes.get(peer);
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

    private static final class Net {
        final Clock clock = new Clock();
        final RandomGenerator random =
                RandomGeneratorFactory.of("L64X128MixRandom").create(1);
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
    }

    private static final class Clock implements Ticker {
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

    private final Net net = new Net();
    private final Node a = net.node(A);
    private final Node c = net.node(C);
    private final NodeIdentity b = new NodeIdentity(B, 1, 2, 3, "b:1", "site");

    private void meet() {
        a.inputs.add(new Input.LinkUp(c.membership.self()));
        c.inputs.add(new Input.LinkUp(a.membership.self()));
        a.inputs.add(new Input.LinkUp(b));
        fromB(header(1), -1, -1, new byte[0]);
        net.run(SECOND);
        a.inputs.add(new Input.Command(
                OutboxProtocol.CHANNEL,
                new OutboxCommand.PutAll(List.of(
                        new OutboxCommand.Put("queue", 1, Slice.utf8("x"), "put"),
                        new OutboxCommand.Put("other", 0, Slice.utf8("x"), "put")))));
        net.run(SECOND);
        assertThat(a.refusals).isEmpty();
    }

    private static byte[] header(long number) {
        BinWriter out = new BinWriter();
        new FrameHeader(1, number, 1, 0, true, true, 30_000).write(out);
        return out.toArray();
    }

    private void fromB(byte[] header, int channel, int type, byte[] body) {
        BinWriter frame = new BinWriter().raw(header, 0, header.length);
        if (channel > 0) {
            frame.u8(channel).u8(type).bytes(Slice.of(body));
        }
        a.inputs.add(new Input.Frame(b, frame.toArray()));
    }

    private void check(String what, boolean taken) {
        a.turnIfDue();
        if (taken) {
            assertThat(a.refusals).as(what).isEmpty();
        } else {
            assertThat(a.refusals).as(what).hasSize(1);
            assertThat(a.refusals.get(0)).as(what).startsWith("b: malformed");
        }
        a.refusals.clear();
        if (taken) {
            live(what);
        } else {
            net.run(SECOND);
            assertThat(c.refusals).as("what a said after " + what).isEmpty();
        }
    }

    /** B is silent and given up, operators count up what can be counted up, and everybody starts anew. */
    private void live(String what) {
        net.run(3 * SECOND);
        for (boolean on : new boolean[] {true, false}) {
            command(new MembershipCommand.Drain(A, on));
            command(new MembershipCommand.Drain(B, on));
            command(new MembershipCommand.Drain(NodeId.of("d"), on));
            net.run(SECOND);
        }
        net.run(CONFIG.failoverAfter().toNanos() + 2 * SECOND);
        command(new MembershipCommand.Remove(NodeId.of("d")));
        net.run(SECOND);
        net.cut = true;
        net.run(SECOND);
        a.reboot();
        c.reboot();
        net.cut = false;
        a.inputs.add(new Input.LinkUp(c.membership.self()));
        c.inputs.add(new Input.LinkUp(a.membership.self()));
        command(new MembershipCommand.Leave(Duration.ofDays(3650)));
        net.run(5 * SECOND);
        assertThat(c.refusals).as("what a said after " + what).isEmpty();
        assertThat(a.refusals).as("what c said after " + what).isEmpty();
    }

    private void command(MembershipCommand command) {
        a.inputs.add(new Input.Command(Membership.CHANNEL, command));
    }

    static Stream<WireFields.Message> messages() {
        return WireFields.messages().stream();
    }

    static Stream<WireFields.Message> header() {
        return Stream.of(WireFields.HEADER, WireFields.CLUSTER_HEADER);
    }

    @ParameterizedTest
    @MethodSource("header")
    void everyNumberOfTheHeaderHasItsBound(WireFields.Message header) {
        for (WireFields.Field field : header.fields()) {
            for (WireFields.Probe probe : field.probes()) {
                WireBoundsTest fresh = new WireBoundsTest();
                fresh.meet();
                fresh.fromB(header.with(probe), -1, -1, new byte[0]);
                fresh.check(header.name() + ", " + field.name() + " " + probe.value(), probe.taken());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("messages")
    void everyFieldOfEveryMessageHasItsBound(WireFields.Message message) {
        for (WireFields.Field field : message.fields()) {
            for (WireFields.Probe probe : field.probes()) {
                WireBoundsTest fresh = new WireBoundsTest();
                fresh.meet();
                fresh.fromB(header(2), message.channel(), message.type(), message.with(probe));
                String value = String.valueOf(probe.value());
                fresh.check(
                        message.name() + ", " + field.name() + " " + value.substring(0, Math.min(40, value.length())),
                        probe.taken());
            }
        }
    }

    /** Nothing may follow the last field, and nothing may be missing. */
    @ParameterizedTest
    @MethodSource("messages")
    void everyMessageEndsWhereItsFieldsEnd(WireFields.Message message) {
        byte[] usual = message.usual();
        for (int length = 0; length <= usual.length + 1; length++) {
            WireBoundsTest fresh = new WireBoundsTest();
            fresh.meet();
            byte[] body = java.util.Arrays.copyOf(usual, length);
            fresh.fromB(header(2), message.channel(), message.type(), body);
            boolean empty = length == 0 && message.name().equals("HEARTBEAT"); // of profile PAPER
            fresh.check(message.name() + " of " + length + " bytes", length == usual.length || empty);
        }
    }
}
