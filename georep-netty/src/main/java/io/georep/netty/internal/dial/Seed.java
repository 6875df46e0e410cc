package io.georep.netty.internal.dial;

import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import io.georep.netty.internal.sockets.Endpoint;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A seed: a name behind which any number of nodes may stand, this one among them. It keeps a {@link Dialer} for each
 * of the name's addresses, and looks the name up again from time to time, as long as it is a seed. One linked peer
 * proves nothing about the other nodes behind the name: nodes that came up one by one, or that a balancer sent to
 * each other in pairs, would stay separate clusters. Confined to the control loop.
 */
final class Seed {
    /**
     * How many addresses are dialled in one round. If there are more, each round draws others. Random graphs of this
     * degree are connected.
     */
    static final int DIALLED_AT_ONCE = 8;

    /** Time between two lookups of a name that is known, on average. */
    static final long ROUND_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final Logger LOG = LoggerFactory.getLogger(Seed.class);

    private final LinkTable table;
    private final String address;
    private final Backoff backoff;
    private final Random random;
    private final Map<InetSocketAddress, Dialer> dialers = new LinkedHashMap<>();
    private @Nullable ScheduledFuture<?> next;
    private @Nullable NodeId restsFor;
    private final DialReport lookUps = new DialReport();
    private boolean stopped;

    /** All addresses of the last lookup, also those not dialled in this round; those where somebody answered once. */
    private Set<InetSocketAddress> addresses = Set.of();

    private final Set<InetSocketAddress> answered = new HashSet<>();
    private boolean told;

    Seed(LinkTable table, String address, Backoff backoff, long randomSeed) {
        this.table = table;
        this.address = address;
        this.backoff = backoff;
        random = new Random(randomSeed);
    }

    /** Looks the name up and dials what it finds. */
    void round() {
        restsFor = null;
        cancelNext();
        Endpoint endpoint;
        try {
            endpoint = Endpoint.parse(address);
        } catch (ConfigurationException e) {
            table.refused(address, String.valueOf(e.getMessage()));
            roundAfter(backoff.next());
            return;
        }
        roundAfter(pauseNanos());
        table.connector().lookUp(endpoint, (found, problem) -> {
            if (stopped) {
                return;
            }
            if (found == null) {
                lookUpFailed(String.valueOf(problem));
            } else {
                lookUps.linked();
                dial(endpoint, found);
            }
        });
    }

    /** Returns the pause until the next lookup; it is short while this node is alone. */
    private long pauseNanos() {
        if (!table.hasLinks()) {
            return backoff.next();
        }
        backoff.reset();
        return ROUND_NANOS / 2 + (long) (random.nextDouble() * ROUND_NANOS);
    }

    private void lookUpFailed(String problem) {
        LOG.atLevel(lookUps.failed(problem, System.nanoTime()))
                .log("link to seed {} not possible: {}; retrying with growing pauses", address, problem);
        table.dialFailed();
        roundAfter(backoff.next());
    }

    private void dial(Endpoint endpoint, List<InetAddress> found) {
        List<InetSocketAddress> all = new ArrayList<>();
        found.forEach(address -> all.add(new InetSocketAddress(address, endpoint.port())));
        addresses = Set.copyOf(all);
        answered.retainAll(addresses);
        Collections.shuffle(all, random);
        List<InetSocketAddress> chosen = all.subList(0, Math.min(all.size(), DIALLED_AT_ONCE));
        dialers.entrySet().removeIf(known -> {
            Dialer dialer = known.getValue();
            boolean leaves = !chosen.contains(known.getKey()) && dialer.connection() == null;
            if (leaves) {
                dialer.stop();
            }
            return leaves;
        });
        for (InetSocketAddress one : chosen) {
            Dialer dialer = dialers.get(one);
            if (dialer == null) {
                dialer = table.newDialer(address, null, one);
                dialers.put(one, dialer);
                dialer.dial();
            } else if (dialer.isParked()) {
                dialer.dial();
            }
        }
    }

    /** Notes that somebody answered at this address. Returns whether all have been reached now, for the first time. */
    boolean reached(@Nullable InetSocketAddress one) {
        if (one != null && addresses.contains(one)) {
            answered.add(one);
        }
        boolean first = !told && answered.containsAll(addresses);
        told |= first;
        return first;
    }

    /** Lets an address rest to which a link to this peer leads already: until that link is gone, or for one round. */
    void restFor(@Nullable NodeId peer) {
        if (dialers.isEmpty()) {
            restsFor = peer;
            roundAfter(ROUND_NANOS);
        }
        dialers.values().stream().filter(Dialer::isWaiting).forEach(dialer -> dialer.park(peer));
    }

    /** Lets the dialers that rested because of a link to this peer dial again, once the peer is gone. */
    void resume(NodeId peer) {
        if (peer.equals(restsFor)) {
            round();
        }
        dialers.values().stream().filter(dialer -> dialer.isParkedFor(peer)).forEach(Dialer::resume);
    }

    /** Ends all efforts. The table closes the connections. */
    Collection<Dialer> stop() {
        stopped = true;
        cancelNext();
        dialers.values().forEach(Dialer::stop);
        return dialers.values();
    }

    /** Goes on if nothing else would, because memory was short when it was to be called again. */
    void look() {
        if (next == null || next.isDone()) {
            round();
        }
        dialers.values().forEach(Dialer::look);
    }

    private void roundAfter(long nanos) {
        cancelNext();
        next = table.control().schedule(this::round, nanos, TimeUnit.NANOSECONDS);
    }

    private void cancelNext() {
        ScheduledFuture<?> pending = next;
        if (pending != null) {
            pending.cancel(false);
            next = null;
        }
    }
}
