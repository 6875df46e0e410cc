package io.georep.funnel.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.funnel.FunnelSettings;
import io.georep.funnel.Topology;
import io.georep.funnel.View;
import io.georep.funnel.ViewGroup;
import io.georep.funnel.ViewMaster;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.model.Channels;
import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.HandMadePeers;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Some nodes with replicated maps, whose messages a test delivers or loses, and whose master is the test. */
final class FunnelNodes {
    private static final Channels MAPS = Channels.of(Map.of(1, 1, FunnelProtocol.CHANNEL, FunnelProtocol.VERSION));
    static final Duration LEASE = Duration.ofSeconds(2);

    /** What readers of a node see. */
    static final class Seen implements Mirror {
        final Map<Slice, Slice> clean = new HashMap<>();
        final List<Slice> dirty = new ArrayList<>();
        ReadLease lease = ReadLease.NONE;
        boolean listening = true;

        @Override
        public Object dirty(Slice key, Object place) {
            if (!dirty.contains(key)) {
                dirty.add(key);
            }
            return null;
        }

        @Override
        public Object clean(Slice key, Object place, Slice value) {
            dirty.remove(key);
            clean.put(key, value);
            return null;
        }

        @Override
        public void readable(ReadLease until) {
            lease = until;
        }

        @Override
        public boolean listening() {
            return listening;
        }
    }

    /** One of them. */
    final class Node {
        final NodeId id;
        final HandMadePeers peers;
        Seen seen = new Seen();
        TestTurn turn = new TestTurn();
        FunnelProtocol protocol;

        /** Whether its store makes nothing durable now. */
        boolean isStoreSlow;

        private Node(NodeId id, List<NodeId> others) {
            this.id = id;
            peers = new HandMadePeers(id);
            for (NodeId other : others) {
                if (!other.equals(id)) {
                    peers.peer(other).channels = MAPS;
                }
            }
            boot();
        }

        private void boot() {
            protocol = new FunnelProtocol(settings, peers, seen, durability, group);
            protocol.boot(turn.disk(), turn);
            protocol.endOfTurn(turn);
        }

        /** The process ends; what was durable is read again. */
        void reboot() {
            turn = turn.nextBoot(Duration.ofSeconds(1));
            seen = new Seen();
            boot();
        }

        void grant(View view) {
            Duration lease = view.rank(id) < 0 ? Duration.ZERO : LEASE;
            ViewMaster.Grant grant = new ViewMaster.Grant(view, lease, true);
            protocol.onCommand(new FunnelCommand.Granted(grant, turn.now(), turn.wallMillis()), turn);
        }

        void put(String key, String value) {
            write(FunnelCommand.Kind.PUT, key, value, null, Topology.AUTO);
        }

        void write(FunnelCommand.Kind kind, String key, String value, String expected, Topology topology) {
            String token = kind + " " + key + " " + value;
            protocol.onCommand(
                    new FunnelCommand.Write(kind, key(key), slice(value), slice(expected), 0, null, 0, topology, token),
                    turn);
        }

        void retry(FunnelCommand.Kind kind, String key, String value, String client, long operation, Object token) {
            protocol.onCommand(
                    new FunnelCommand.Write(
                            kind, key(key), slice(value), null, 0, client, operation, Topology.AUTO, token),
                    turn);
        }

        void read(String key, Object token) {
            protocol.onCommand(new FunnelCommand.Read(key(key), token), turn);
        }

        /** What a reader without messages gets: the value, "none", or "ask". */
        String get(String key) {
            if (!seen.lease.holds(turn.now(), turn.wallMillis()) || seen.dirty.contains(key(key))) {
                return "ask";
            }
            Slice value = seen.clean.get(key(key));
            return value == null ? "none" : new String(value.toArray());
        }

        List<FunnelEvent.Written> written() {
            return turn.events(FunnelEvent.Done.class).stream()
                    .flatMap(done -> done.writes().stream())
                    .toList();
        }

        List<Object> done() {
            return written().stream().map(FunnelEvent.Written::token).toList();
        }

        FunnelEvent.Ask lastAsk() {
            List<FunnelEvent.Ask> asks = turn.events(FunnelEvent.Ask.class);
            return asks.get(asks.size() - 1);
        }

        FunnelContext context() {
            return protocol.context();
        }
    }

    final FunnelSettings settings;
    final Durability durability;
    final Map<NodeId, Node> all = new TreeMap<>();

    private ViewGroup group;

    /** Which messages are delivered; others are lost. */
    Predicate<TestTurn.Sent> delivers = sent -> true;

    /** Who sent what is looked at. */
    Node sender;

    /** How many turns wanted the store to sync. */
    int syncs;

    /** Between which nodes nothing gets through. */
    final List<NodeId> cutOff = new ArrayList<>();

    /** Everything that was sent, by type. */
    final Map<Integer, Integer> counts = new TreeMap<>();

    FunnelNodes(FunnelSettings settings, String... names) {
        this(settings, Durability.FSYNC, names);
    }

    FunnelNodes(FunnelSettings settings, Durability durability, String... names) {
        this.settings = settings;
        this.durability = durability;
        List<NodeId> ids = new ArrayList<>();
        for (String name : names) {
            ids.add(NodeId.of(name));
        }
        ids.forEach(id -> all.put(id, new Node(id, ids)));
    }

    FunnelNodes(String... names) {
        this(FunnelSettings.defaults(), names);
    }

    /** The nodes begin anew, and these of them keep the views. */
    FunnelNodes keptBy(String... keepers) {
        group = ViewGroup.of(keepers);
        all.values().forEach(Node::boot);
        return this;
    }

    Node node(String name) {
        return all.get(NodeId.of(name));
    }

    static Slice key(String key) {
        return Slice.utf8("\u0001m" + key);
    }

    static Slice slice(String value) {
        return value == null ? null : Slice.utf8(value);
    }

    static View view(long number, String... members) {
        List<NodeId> ids = new ArrayList<>();
        for (String member : members) {
            ids.add(NodeId.of(member));
        }
        return new View(number, ids);
    }

    /** Grants the view to all nodes, and lets them do what follows. */
    void grant(View view) {
        for (Node node : all.values()) {
            if (!cutOff.contains(node.id)) {
                node.grant(view);
            }
        }
        run();
    }

    /** Takes all turns until nothing is left to do but wait. */
    void run() {
        boolean isBusy = true;
        for (int round = 0; isBusy; round++) {
            assertThat(round).as("rounds of messages").isLessThan(10_000);
            isBusy = false;
            for (Node node : all.values()) {
                isBusy |= turn(node);
            }
        }
    }

    /** One turn of a node, its store, and the delivery of what it sent. */
    boolean turn(Node node) {
        node.protocol.endOfTurn(node.turn);
        syncs += node.turn.store().isDurableRequired() ? 1 : 0;
        while (!node.isStoreSlow && node.turn.storeBacklog() > 0) {
            node.turn.completeStore();
            node.protocol.endOfTurn(node.turn);
        }
        if (!node.isStoreSlow) {
            node.turn.completeStore();
        }
        List<TestTurn.Sent> sent = List.copyOf(node.turn.sent);
        node.turn.sent.clear();
        sent.forEach(message -> deliver(node, message));
        return !sent.isEmpty();
    }

    void deliver(Node from, TestTurn.Sent message) {
        counts.merge(message.type(), 1, Integer::sum);
        sender = from;
        Node to = all.get(message.to());
        boolean isCut = cutOff.contains(from.id) || cutOff.contains(to.id);
        if (!isCut && delivers.test(message)) {
            to.protocol.onMessage(to.peers.peer(from.id), message.type(), new BinReader(message.body()), to.turn);
        }
    }

    /** Lets time pass; leases are renewed. */
    void pass(Duration time, View view) {
        Duration step = Duration.ofMillis(100);
        for (long left = time.toMillis(); left > 0; left -= step.toMillis()) {
            for (Node node : all.values()) {
                node.turn.advance(step);
                if (!cutOff.contains(node.id)) {
                    node.grant(view);
                }
                node.protocol.onTimer(node.turn);
            }
            run();
        }
    }

    void cutOff(String name) {
        NodeId id = NodeId.of(name);
        cutOff.add(id);
        link(id, false);
    }

    /** The links of a node come back; what was lost stays lost. */
    void mend(String name) {
        NodeId id = NodeId.of(name);
        cutOff.remove(id);
        link(id, true);
        for (Node node : all.values()) {
            if (!node.id.equals(id)) {
                node.protocol.onPeerReachable(node.peers.peer(id), node.turn);
                node(name).protocol.onPeerReachable(node(name).peers.peer(node.id), node(name).turn);
            }
        }
    }

    private void link(NodeId id, boolean isUp) {
        for (Node node : all.values()) {
            if (!node.id.equals(id)) {
                node.peers.peer(id).linked = isUp;
                all.get(id).peers.peer(node.id).linked = isUp;
            }
        }
    }

    /** All members hold the same keys, and nothing is uncommitted. */
    void assertSame(String... names) {
        Node first = node(names[0]);
        for (String name : names) {
            Node node = node(name);
            assertThat(node.context().writes.size())
                    .as("uncommitted on " + name)
                    .isZero();
            assertThat(node.seen.dirty).as("dirty on " + name).isEmpty();
            assertThat(values(node)).as("values on " + name).isEqualTo(values(first));
            assertThat(node.context().progress.applied())
                    .as("applied on " + name)
                    .isEqualTo(first.context().progress.applied());
        }
    }

    private static Map<String, String> values(Node node) {
        Map<String, String> values = new TreeMap<>();
        node.seen.clean.forEach((key, value) -> {
            if (value != null) {
                values.put(new String(key.toArray()), new String(value.toArray()));
            }
        });
        return values;
    }
}
