package io.georep.simulation;

import static io.georep.simulation.InvariantViolation.check;

import io.georep.codec.BinReader;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.protocol.membership.FrameHeader;
import io.georep.protocol.membership.MembershipCommand;
import io.georep.protocol.membership.MembershipEvent;
import io.georep.protocol.membership.MembershipProtocol;
import io.georep.runtime.Input;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What must hold of nodes as peers, whatever wings live there: frames and links, I8, I15, I16, I19 and I23 of {@code docs/how-it-works/protocol.md}.
 * Turns without input are bounded: a deadline that stays due makes a node turn on the spot.
 */
final class PeerJudge implements SimulatedNetwork.Tap {
    private static final int WINDOW_HEARTBEATS = 5;

    /** The most seen in some hundred runs is 46; a deadline that stays due makes millions. */
    private static final int TURNS_MAX = 300;

    /** Other wings than the outbox have more timers. */
    private static final int WING_TURNS_MAX = 500;

    private final SimulatedCluster cluster;
    private final Map<SimulatedNode, SilenceJudge> silences = new HashMap<>();
    private final Map<SimulatedNode, Times> idle = new HashMap<>();

    /** When a frame was sent last, by sender and receiver. */
    private final Map<NodeId, Map<NodeId, Long>> sentAt = new HashMap<>();

    /** What operators ordered, and nodes let them order. */
    private final Set<MembershipCommand> orders = new HashSet<>();

    /** Who said GOODBYE. */
    private final Set<NodeId> left = new HashSet<>();

    /** The highest incarnation that each node has taken. */
    private final Map<NodeId, Long> incarnations = new HashMap<>();

    /** How often something happened in the present window. */
    static final class Times {
        private long since;
        private int times;

        int count(long now, long windowNanos) {
            if (now - since > windowNanos) {
                since = now;
                times = 0;
            }
            return ++times;
        }
    }

    PeerJudge(SimulatedCluster cluster) {
        this.cluster = cluster;
    }

    private SilenceJudge silence(SimulatedNode node) {
        return silences.computeIfAbsent(node, none -> new SilenceJudge(cluster, node));
    }

    /** Work is counted within so much time. */
    long windowNanos() {
        return WINDOW_HEARTBEATS * cluster.options().config.heartbeat().toNanos();
    }

    void booting(SimulatedNode node) {
        silence(node).booting();
    }

    void started(SimulatedNode node) {
        incarnations.merge(node.id(), node.protocols().membership().self().incarnation(), Math::max);
    }

    long highestIncarnation(NodeId id) {
        return incarnations.getOrDefault(id, 0L);
    }

    @Override
    public void refused(NodeIdentity by, NodeIdentity peer, String reason) {
        check(!reason.startsWith("malformed"), "wire", () -> by.id() + " refuses " + peer.id() + ": " + reason);
    }

    @Override
    public void sent(NodeIdentity from, NodeIdentity to, byte[] frame) {
        sentAt.computeIfAbsent(from.id(), none -> new HashMap<>())
                .put(to.id(), cluster.world().now());
        SimulatedNode node = cluster.node(from.id());
        BinReader in = new BinReader(Slice.of(frame));
        FrameHeader.read(in);
        while (in.hasMore()) {
            int channel = in.u8();
            int type = in.u8();
            Slice body = in.bytes();
            // Before it has heard of a link to a new process, a node sends what the old one understood.
            Peer asked = node.protocols().membership().find(to.id());
            check(
                    to.channels().version(channel) > 0 || asked == null || asked.version(channel) > 0,
                    "wire",
                    () -> node + " sends on channel " + channel + " to " + to);
            cluster.wings().forEach(wing -> wing.sent(node, to.id(), channel, type, body));
        }
    }

    void turning(SimulatedNode node, List<Input> inputs) {
        silence(node).turning();
        int most = cluster.wings().size() * WING_TURNS_MAX - (cluster.hasOutbox() ? WING_TURNS_MAX - TURNS_MAX : 0);
        if (inputs.isEmpty()) {
            int times = idle.computeIfAbsent(node, none -> new Times())
                    .count(cluster.world().now(), windowNanos());
            check(
                    times <= most,
                    "work",
                    () -> node + " has its " + times + "th turn without input within " + windowNanos() / World.MILLIS
                            + " ms");
        }
        for (Input input : inputs) {
            if (input instanceof Input.Frame frame) {
                silence(node).frameArrived(frame.from(), FrameHeader.read(new BinReader(Slice.of(frame.bytes()))));
            } else if (input instanceof Input.LifeSign sign) {
                silence(node).lifeSign(sign.from());
            } else if (input instanceof Input.Command command && command.command() instanceof MembershipCommand.Leave) {
                left.add(node.id());
            } else if (input instanceof Input.Command command && command.command() instanceof MembershipCommand order) {
                orders.add(order);
            }
        }
    }

    void turned(SimulatedNode node) {
        started(node);
        silence(node).turned();
        long ignored = node.protocols().membership().decisionsIgnored();
        check(
                ignored == 0 || cluster.limited().mayBeIgnored(),
                "M33",
                () -> node + " ignores " + ignored + " decisions of nodes that should not say them");
    }

    void events(SimulatedNode node, List<Object> events) {
        for (Object event : events) {
            if (event instanceof MembershipEvent.Removed removed) {
                silence(node).removed(removed);
                isOrdered(node, new MembershipCommand.Remove(removed.peer()));
            } else if (event instanceof MembershipEvent.Drained drained
                    && (drained.on()
                            || !cluster.limited().contains(node))) { // an emptied peer's own word ends it there
                isOrdered(node, new MembershipCommand.Drain(drained.peer(), drained.on()));
            } else if (event instanceof MembershipEvent.StateChanged changed) {
                silence(node).stateChanged(changed);
                check(
                        changed.after() != PeerState.ARNOLD || left.contains(changed.peer()),
                        "M33",
                        () -> node + " believes that " + changed.peer() + " said GOODBYE, which it did not");
            }
        }
    }

    private void isOrdered(SimulatedNode node, MembershipCommand order) {
        check(orders.contains(order), "M33", () -> node + " obeys what nobody ordered: " + order);
    }

    /** I15, I16 and I23, after a time in which nothing happens: all know the same, and speak to each other. */
    void agree(List<SimulatedNode> running) {
        SimulationOptions options = cluster.options();
        SimulatedNode first = running.get(0);
        Peers.Cluster known = first.protocols().membership().cluster();
        long most = Math.max(
                options.longest(ProtocolConfig::heartbeatAway),
                options.config.heartbeat().toNanos());
        for (SimulatedNode from : running) {
            check(
                    view(first).equals(view(from)),
                    "I15",
                    () -> "peer lists differ: " + first + " has " + view(first) + ", " + from + " has " + view(from));
            Peers.Cluster mine = from.protocols().membership().cluster();
            check(
                    mine.id().equals(known.id()) && mine.settled() == known.settled(),
                    "I23",
                    () -> first + " belongs to " + known + ", " + from + " to " + mine);
            for (SimulatedNode to : running) {
                long at = sentAt.getOrDefault(from.id(), Map.of()).getOrDefault(to.id(), 0L);
                long silence = cluster.world().now() - at;
                check(
                        from == to || silence <= most + World.SECONDS,
                        "I16",
                        () -> from + " sent nothing to " + to + " for " + silence / World.MILLIS + " ms; "
                                + text(from));
            }
        }
    }

    /**
     * What all nodes must agree on. When the name of a dead node is forgotten depends on what entries a node keeps that name
     * it (M26), and when its removal is depends on whom a node has yet to tell of it, so from the time on when some may have
     * forgotten it the others need not have.
     */
    private String view(SimulatedNode node) {
        MembershipProtocol membership = node.protocols().membership();
        TreeMap<NodeId, String> view = new TreeMap<>();
        boolean mayForget = cluster.world().now() >= cluster.options().longest(ProtocolConfig::tombstoneLife);
        for (Peer peer : membership.all()) {
            if (mayForget && cluster.isDead(cluster.node(peer.id()))) {
                continue;
            }
            long incarnation = Math.min(peer.incarnation(), told(peer.id()));
            if (peer.removed()) {
                view.put(peer.id(), "removed");
            } else if (incarnation > 0) {
                view.put(peer.id(), incarnation + (peer.drained() ? " drained" : ""));
            }
        }
        view.put(node.id(), membership.self().incarnation() + (membership.selfDrained() ? " drained" : ""));
        return view.toString();
    }

    /** The last process of a node that all must know of: a limited node is not believed about others that nobody meets (M33). */
    private long told(NodeId id) {
        return cluster.running().stream()
                .filter(node ->
                        !cluster.isDead(cluster.node(id)) || !cluster.limited().contains(node))
                .flatMap(node -> node.protocols().membership().all().stream())
                .filter(peer -> peer.id().equals(id))
                .mapToLong(Peer::incarnation)
                .max()
                .orElse(0);
    }

    /** What a node knows of its peers. */
    static String text(SimulatedNode node) {
        return "its peers are "
                + node.protocols().membership().all().stream()
                        .map(peer -> peer + (peer.drained() ? " drained" : "") + (peer.linked() ? "" : " not linked"))
                        .toList();
    }
}
