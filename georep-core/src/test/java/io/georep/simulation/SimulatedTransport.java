package io.georep.simulation;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.spi.Transport;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/** The transport of one process: dials its targets, again and again, and answers those who dial it. */
final class SimulatedTransport implements Transport {
    /** An address this process keeps a connection to. */
    private static final class Target {
        /** Whom to expect there; null when the address is a seed. */
        NodeId expected;

        boolean dialing;
        Connection connection;
    }

    private record Refusal(NodeIdentity identity, String reason) {}

    final IoThreads threads = new IoThreads();

    /** Whether something that was heard waits for a turn. */
    BooleanSupplier hasWaiting = () -> false;

    private final SimulatedNetwork network;
    private final String address;
    private final TreeMap<String, Target> targets = new TreeMap<>();
    private final TreeMap<NodeId, Connection> outgoing = new TreeMap<>();

    /** Links of protocols' own choice. */
    private final TreeMap<Long, ChosenLink> chosen = new TreeMap<>();

    /** Such links that were asked for before this process listens. */
    private final List<Runnable> early = new ArrayList<>();

    /** Who is refused, and why, until it is a target again. */
    private final TreeMap<NodeId, Refusal> refused = new TreeMap<>();

    private NodeIdentity self;
    private Listener listener;
    private boolean running;

    SimulatedTransport(SimulatedNetwork network, String address) {
        this.network = network;
        this.address = address;
    }

    String address() {
        return address;
    }

    NodeIdentity self() {
        return self;
    }

    Listener listener() {
        return listener;
    }

    boolean isRunning() {
        return running;
    }

    @Override
    public String start(NodeIdentity identity, Listener told) {
        network.bind(address, this);
        self = identity;
        listener = told;
        running = true;
        targets.keySet().forEach(this::dialSoon);
        early.forEach(Runnable::run);
        return address;
    }

    @Override
    public void targets(Map<NodeId, String> peers, Collection<String> seeds) {
        TreeMap<String, NodeId> wanted = new TreeMap<>();
        seeds.forEach(seed -> wanted.put(seed, null));
        new TreeMap<>(peers).forEach((id, at) -> {
            wanted.put(at, id);
            Refusal refusal = refused.get(id);
            if (refusal != null && refusal.identity.address().equals(at)) {
                refused.remove(id);
            }
        });
        wanted.remove(address);
        for (String at : targets.keySet().toArray(String[]::new)) {
            if (!wanted.containsKey(at)) {
                drop(at);
            }
        }
        wanted.forEach((at, id) -> {
            Target target = targets.get(at);
            if (target == null) {
                target = new Target();
                targets.put(at, target);
                dialSoon(at);
            }
            target.expected = id;
        });
    }

    private void drop(String at) {
        Connection connection = targets.remove(at).connection;
        if (connection != null) {
            NodeId id = connection.acceptorIdentity().id();
            outgoing.remove(id, connection);
            connection.closeByDialer();
            listener.linkDown(id, "not a target any more");
        }
    }

    private void dialSoon(String at) {
        SimulatedNetwork.Settings settings = network.settings();
        dialAfter(at, network.random().nextLong(settings.redialMinNanos()));
    }

    private void dialLater(String at) {
        SimulatedNetwork.Settings settings = network.settings();
        dialAfter(at, network.random().nextLong(settings.redialMinNanos(), settings.redialMaxNanos() + 1));
    }

    private void dialAfter(String at, long nanos) {
        Target target = targets.get(at);
        if (!running || target == null || target.dialing || target.connection != null) {
            return;
        }
        target.dialing = true;
        network.world().after(nanos, () -> dial(at, target));
    }

    /** The greeting leaves; it reaches the other side only if the way is open when it arrives. */
    private void dial(String at, Target target) {
        if (!running || targets.get(at) != target) {
            return;
        }
        Way way = network.way(address, at);
        network.world().after(way.drawDelay(64), () -> greet(at, target, way));
    }

    private void greet(String at, Target target, Way way) {
        SimulatedTransport other = network.listening(at);
        Way back = network.way(at, address);
        boolean wayBackOpen = back.isOpen() || !network.settings().answerNeedsWayBack();
        if (!way.isOpen() || !wayBackOpen || other == null) {
            // No answer: the dialer gives up after a while and tries again.
            target.dialing = false;
            dialLater(at);
            return;
        }
        String refusal = running ? other.refusal(self, target.expected) : null;
        if (refusal != null) {
            network.world().after(back.drawDelay(64), () -> {
                target.dialing = false;
                if (running) {
                    listener.refused(at, refusal);
                    dialLater(at);
                }
            });
            return;
        }
        network.world().after(back.drawDelay(64), () -> answered(at, target, way, other));
    }

    private String refusal(NodeIdentity from, NodeId expected) {
        if (expected != null && !expected.equals(self.id())) {
            return "this is " + self.id() + ", not " + expected;
        }
        Refusal refusal = refused.get(from.id());
        return refusal != null && refusal.identity.nonce() == from.nonce() ? refusal.reason : null;
    }

    private void answered(String at, Target target, Way way, SimulatedTransport other) {
        target.dialing = false;
        if (!running || targets.get(at) != target) {
            return;
        }
        if (!way.isOpen() || network.listening(at) != other || target.connection != null) {
            dialLater(at);
            return;
        }
        NodeId id = other.self.id();
        Refusal refusal = refused.get(id);
        boolean unwanted = refusal != null && refusal.identity.nonce() == other.self.nonce();
        if (unwanted || outgoing.containsKey(id)) {
            // Refused until it is a target again, or a seed that turned out to be a peer already connected.
            dialLater(at);
            return;
        }
        if (way.connection() != null) {
            way.connection().replaced();
        }
        Connection connection = new Connection(network, way, this, other);
        way.connection(connection);
        target.connection = connection;
        outgoing.put(id, connection);
        network.world().trace().note(network.world().now(), "up", way, null, null, other.self.incarnation());
        listener.linkUp(other.self);
    }

    @Override
    public boolean opensLinks() {
        return true;
    }

    @Override
    public void openLink(long link, int channel, String at) {
        if (self == null) {
            // A real process has no turn before it listens.
            early.add(() -> openLink(link, channel, at));
            return;
        }
        ChosenLink opened = new ChosenLink(network, this, channel, at);
        chosen.put(link, opened);
        opened.dial(
                told -> {
                    if (running && chosen.get(link) == opened) {
                        listener.linkOpened(link, told);
                    }
                },
                reason -> {
                    if (running && chosen.remove(link, opened)) {
                        listener.linkEnded(link, reason);
                    }
                });
    }

    @Override
    public void closeLink(long link) {
        chosen.remove(link);
    }

    @Override
    public void sendOver(long link, byte[] frame) {
        ChosenLink to = chosen.get(link);
        if (running && to != null) {
            to.send(frame);
        }
    }

    /** As long as they do not stand still, these threads come round at once, so that it matters only if something waits. */
    @Override
    public boolean goRound(long stamp) {
        boolean isAwaited = threads.isStill() || hasWaiting.getAsBoolean();
        if (isAwaited) {
            threads.run(() -> {
                if (running && !threads.losesAnswers()) {
                    listener.cameRound(stamp);
                }
            });
        }
        return isAwaited;
    }

    /** Why this process does not let another one in over a link of that one's choice; null when it does. */
    String refusalOf(NodeIdentity from) {
        return from.nonce() == self.nonce() ? "this is the dialer itself" : refusal(from, null);
    }

    /** Called by a connection that turned out to be gone. */
    void lost(Connection connection, String reason) {
        NodeId id = connection.acceptorIdentity().id();
        if (!outgoing.remove(id, connection)) {
            return;
        }
        network.world().trace().note(network.world().now(), "down", address, id, reason, 0);
        targets.forEach((at, target) -> {
            if (target.connection == connection) {
                target.connection = null;
                dialSoon(at);
            }
        });
        listener.linkDown(id, reason);
    }

    @Override
    public void send(Outgoing frame) {
        Connection connection = outgoing.get(frame.peer());
        if (running && connection != null) {
            connection.send(frame.frame(), frame.urgent(), frame.lane());
        }
    }

    @Override
    public void refuse(NodeIdentity peer, String reason) {
        network.tap().refused(self, peer, reason);
        refused.put(peer.id(), new Refusal(peer, reason));
        Connection mine = outgoing.get(peer.id());
        if (mine != null && mine.acceptorIdentity().nonce() == peer.nonce()) {
            network.world().after(0, () -> mine.notice("refused: " + reason));
        }
        Connection theirs = network.way(peer.address(), address).connection();
        if (theirs != null && theirs.acceptor() == this) {
            theirs.breakOff("refused: " + reason);
        }
    }

    @Override
    public void pardon(NodeIdentity peer) {
        Refusal refusal = refused.get(peer.id());
        if (refusal != null && refusal.identity.nonce() == peer.nonce()) {
            refused.remove(peer.id());
        }
    }

    /** The process is gone without a word. */
    void die() {
        stop(false);
    }

    @Override
    public void close() {
        if (running) {
            stop(true);
        }
    }

    private void stop(boolean orderly) {
        running = false;
        chosen.clear();
        network.unbind(address, this);
        for (Connection connection : outgoing.values()) {
            if (!orderly) {
                connection.lastFramesLost();
            }
            connection.closeByDialer();
            if (orderly) {
                listener.linkDown(connection.acceptorIdentity().id(), "closed");
            }
        }
        network.eachWayTo(address, way -> {
            Connection connection = way.connection();
            if (connection != null && connection.acceptor() == this) {
                connection.dead();
                connection.noticeSoon("connection reset");
            }
        });
    }
}
