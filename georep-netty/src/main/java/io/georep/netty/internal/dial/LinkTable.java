package io.georep.netty.internal.dial;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.netty.internal.accept.Admission;
import io.georep.netty.internal.security.ChannelSecurity;
import io.georep.netty.internal.sockets.LinkCounters;
import io.georep.netty.internal.sockets.LinkSettings;
import io.georep.netty.internal.wire.RefusalCode;
import io.georep.spi.Transport;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.PromiseCombiner;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which links there are: one to every target, one to the node that answers at a seed, never two to one peer. Confined
 * to the control loop, except {@link #linkTo}.
 *
 * <p>A target and a seed may lead to the same process. Whichever is linked first keeps the connection; if that was the
 * seed, the target's dialer takes the connection over, and the seed's rests until the peer is gone or the name is looked up again.
 */
@SuppressWarnings("FutureReturnValueIgnored") // What is scheduled checks itself whether it is still wanted.
public final class LinkTable {
    private static final Logger LOG = LoggerFactory.getLogger(LinkTable.class);

    /** Time for the last frames of a link that is not wanted any more. */
    private static final long FLUSH_MILLIS = 1_000;

    private final NodeIdentity self;
    private final LinkSettings settings;
    private final EventLoop control;
    private final Connector connector;
    private final Admission admission;
    private final Transport.Listener listener;
    private final LinkCounters counters;
    private final RandomGenerator random;

    private final Map<NodeId, Dialer> targets = new TreeMap<>();
    private final Map<String, Seed> seeds = new LinkedHashMap<>();
    private final DialTurns turns;
    private final Announcements announcements;
    private final Set<String> seedsToldOwn = new HashSet<>();
    private final ConcurrentHashMap<NodeId, Connection> links = new ConcurrentHashMap<>();
    private boolean closing;

    public LinkTable(
            NodeIdentity self,
            LinkSettings settings,
            EventLoop control,
            Connector connector,
            Admission admission,
            Transport.Listener listener,
            LinkCounters counters) {
        this.self = self;
        this.settings = settings;
        this.control = control;
        this.connector = connector;
        this.admission = admission;
        this.listener = listener;
        this.counters = counters;
        random = new SplittableRandom(self.nonce());
        turns = new DialTurns(control);
        announcements = new Announcements(control);
    }

    EventLoop control() {
        return control;
    }

    Connector connector() {
        return connector;
    }

    DialTurns turns() {
        return turns;
    }

    LinkSettings settings() {
        return settings;
    }

    /** Returns where frames for this peer go now; null if there is no link. Any thread. */
    public @Nullable ChunkWriter linkTo(NodeId peer) {
        Connection connection = links.get(peer);
        return connection == null ? null : connection.writer();
    }

    /** Goes on with what stands still because memory was short. Called now and then. */
    public void look() {
        List<Connection> all = List.copyOf(links.values());
        all.stream().filter(link -> !link.channel().isOpen()).forEach(this::closed);
        turns.look();
        announcements.look();
        List.copyOf(targets.values()).forEach(Dialer::look);
        List.copyOf(seeds.values()).forEach(Seed::look);
    }

    /** Keeps links to these targets and seeds, and to no others. */
    public void retarget(Map<NodeId, String> peers, Collection<String> wantedSeeds) {
        if (closing) {
            return;
        }
        Map<NodeId, String> wanted = new TreeMap<>(peers);
        wanted.remove(self.id());
        admission.pardon(wanted);
        List<Dialer> leaving = new ArrayList<>();
        targets.values().removeIf(dialer -> leaves(dialer, wanted, leaving));
        leaving.forEach(this::retire);
        // A seed that became a target is left after the target took its connection over.
        wanted.forEach((id, address) -> {
            if (!targets.containsKey(id)) {
                addTarget(id, address);
            }
        });
        Set<String> seedsNow = new LinkedHashSet<>(wantedSeeds);
        seedsNow.remove(self.address());
        seeds.entrySet().removeIf(seed -> {
            boolean leaves = !seedsNow.contains(seed.getKey());
            if (leaves) {
                seed.getValue().stop().forEach(this::retire);
            }
            return leaves;
        });
        seedsNow.removeAll(seeds.keySet());
        seedsNow.forEach(this::addSeed);
    }

    private static boolean leaves(Dialer dialer, Map<NodeId, String> wanted, List<Dialer> leaving) {
        NodeId id = dialer.expected();
        if (id != null && dialer.address().equals(wanted.get(id))) {
            return false;
        }
        leaving.add(dialer);
        return true;
    }

    private void retire(Dialer dialer) {
        dialer.stop();
        Connection connection = dialer.connection();
        if (connection != null) {
            letGo(connection, "this node no longer keeps a link to " + dialer.address());
        }
        NodeId peer = dialer.expected();
        if (peer != null) {
            resumeSeeds(peer);
        }
    }

    /** Ends a link after what is queued for it: its last frame may tell the peer why. */
    private void letGo(Connection connection, String reason) {
        if (ends(connection, reason)) {
            connection.finish(reason);
            control.schedule(() -> connection.close(reason), FLUSH_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void addTarget(NodeId id, String address) {
        Dialer dialer = newDialer(address, id, null);
        targets.put(id, dialer);
        Connection current = links.get(id);
        if (current != null
                && (current.owner().address().equals(address)
                        || current.peer().address().equals(address))) {
            takeOver(current, dialer);
            return;
        }
        Seed seed = seeds.get(address);
        if (seed != null) {
            seed.restFor(id);
        }
        dialer.dial();
    }

    private void addSeed(String address) {
        Seed seed = new Seed(this, address, backoff(), random.nextLong());
        seeds.put(address, seed);
        for (Dialer target : targets.values()) {
            if (target.address().equals(address)) {
                seed.restFor(target.expected());
                return;
            }
        }
        seed.round();
    }

    /** Creates a dialer for a target, or for one fixed address of a seed. */
    Dialer newDialer(String address, @Nullable NodeId expected, @Nullable InetSocketAddress fixed) {
        return new Dialer(this, address, expected, fixed, backoff());
    }

    private Backoff backoff() {
        return new Backoff(settings.reconnectDelayMinNanos(), settings.reconnectDelayMaxNanos(), random);
    }

    /** Keeps a connection whose handshake has succeeded, or the one that is there already. */
    void accepted(Connection connection) {
        Dialer dialer = connection.owner();
        NodeIdentity peer = connection.peer();
        NodeId expected = dialer.expected();
        if (expected != null && !expected.equals(peer.id())) {
            connection.close("wrong node");
            dialer.refused("the node at this address is " + peer.id() + ": correct the address of " + expected);
            return;
        }
        String reason = admission.reasonAgainst(peer);
        if (reason != null) {
            connection.close("refused");
            dialer.failed("this node refuses " + peer.id() + ": " + reason);
            return;
        }
        Connection current = links.get(peer.id());
        if (current == null) {
            establish(connection);
        } else if (dialer.isSeed()) {
            connection.close("the peer is linked already");
            dialer.park(peer.id());
        } else if (current.peer().nonce() == peer.nonce()) {
            connection.close("the peer is linked already");
            takeOver(current, dialer);
        } else {
            takeDown(current, "replaced by a link to a process with nonce " + Long.toHexString(peer.nonce()));
            current.owner().park(peer.id());
            establish(connection);
        }
        reached(dialer);
    }

    /** Notes that somebody answered at one of the addresses of a seed. */
    private void reached(Dialer dialer) {
        Seed seed = dialer.isSeed() ? seeds.get(dialer.address()) : null;
        if (seed != null && seed.reached(dialer.fixed())) {
            announcements.tell(() -> listener.seedReached(dialer.address()));
        }
    }

    private void establish(Connection connection) {
        NodeIdentity peer = connection.peer();
        connection.owner().linked(connection);
        connection.whenClosed().addListener(ended -> connector.tell(() -> closed(connection)));
        connection.onMarks((lane, writable) -> connector.tell(() -> writable(connection, lane, writable)));
        links.put(peer.id(), connection);
        counters.linksOut.increment();
        LOG.info("linked to {} at {}", peer.id(), connection.owner().address());
        announcements.tell(() -> listener.linkUp(peer));
    }

    private void takeOver(Connection current, Dialer target) {
        current.owner().park(current.peer().id());
        current.owner(target);
        target.linked(current);
    }

    private void writable(Connection connection, int lane, boolean writable) {
        NodeId peer = connection.peer().id();
        if (links.get(peer) == connection) {
            announcements.tell(() -> listener.writable(peer, lane, writable));
        }
    }

    private void closed(Connection connection) {
        if (takeDown(connection, connection.closeReason())) {
            connection.owner().lost();
        }
    }

    /** Ends a link, and tells that once; returns false if it had ended before. */
    private boolean takeDown(Connection connection, String reason) {
        connection.close(reason);
        return ends(connection, reason);
    }

    private boolean ends(Connection connection, String reason) {
        NodeId peer = connection.peer().id();
        if (!links.remove(peer, connection)) {
            return false;
        }
        counters.linksOut.decrement();
        LOG.info("link to {} at {} ended: {}", peer, connection.owner().address(), reason);
        announcements.tell(() -> listener.linkDown(peer, reason));
        resumeSeeds(peer);
        return true;
    }

    private void resumeSeeds(NodeId peer) {
        if (!closing) {
            seeds.values().forEach(seed -> seed.resume(peer));
        }
    }

    void refusedByPeer(Dialer dialer, RefusalCode code, String reason) {
        counters.refusalsReceived.increment();
        NodeId expected = dialer.expected();
        if (code == RefusalCode.SELF && expected == null) {
            reachedItself(dialer);
            return;
        }
        if (expected != null) {
            // Another node may be at the address now, which would do for a seed.
            resumeSeeds(expected);
        }
        dialer.refused(reason);
    }

    boolean hasLinks() {
        return !links.isEmpty();
    }

    /** Gives an address up for this round, because this node itself is behind it: a balancer may lead to another one next time. */
    private void reachedItself(Dialer seed) {
        if (seedsToldOwn.add(seed.address())) {
            LOG.info("seed {} leads to this node itself, among others perhaps", seed.address());
        }
        seed.park(null);
        reached(seed);
    }

    void dialFailed() {
        counters.dialsFailed.increment();
    }

    void refused(String address, String reason) {
        announcements.tell(() -> listener.refused(address, reason));
    }

    /** Dials a peer without waiting, because it has dialled this node. */
    public void arrived(NodeId peer) {
        Dialer dialer = targets.get(peer);
        if (dialer != null && !closing) {
            dialer.hint();
        }
    }

    /** Closes our link to a peer and dials again. */
    public void renew(NodeId peer, String reason) {
        Connection connection = links.get(peer);
        if (connection != null) {
            takeDown(connection, reason);
            connection.owner().lost();
        }
    }

    /** Closes links whose right is lost, and dials again, because a peer may come back with a new proof. */
    public void review(ChannelSecurity security) {
        for (Connection connection : new TreeMap<>(links).values()) {
            String reason = security.withdrawn(connection.channel());
            if (reason != null) {
                counters.distrusted.increment();
                LOG.warn(
                        "closing the link to {} at {}: {}", connection.peer().id(), connection.remoteAddress(), reason);
                renew(connection.peer().id(), reason);
            }
        }
    }

    /** Closes our link to this boot of a peer, if there is one. */
    public void drop(NodeIdentity peer, String reason) {
        Connection connection = links.get(peer.id());
        if (connection != null && connection.peer().nonce() == peer.nonce()) {
            renew(peer.id(), reason);
        }
    }

    /** Stops dialling. Links close once their queues are empty; then the callback is called. */
    public void finish(Promise<Void> finished) {
        closing = true;
        targets.values().forEach(Dialer::stop);
        seeds.values().forEach(Seed::stop);
        PromiseCombiner allClosed = new PromiseCombiner(control);
        for (Connection connection : links.values()) {
            connection.finish("this node is shutting down");
            allClosed.add(connection.whenClosed());
        }
        allClosed.finish(finished);
    }

    /** Tells the end of the links that are left. */
    public void takeDownAll() {
        for (Connection connection : new TreeMap<>(links).values()) {
            takeDown(connection, "this node is shutting down");
        }
    }
}
