package io.georep.netty.internal.accept;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.netty.internal.wire.Handshake;
import io.georep.netty.internal.wire.HandshakeFormat;
import io.georep.netty.internal.wire.RefusalCode;
import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Knows who is linked to us and who must not be. One lock makes "refuse and close" and "ask and enter" exclude each other,
 * so that no handshake slips through between the two.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A close that fails ends the channel, which is noticed anyway.
public final class Admission {
    /** Refusals remembered; the oldest is forgotten first. */
    static final int REFUSALS_MAX = 1024;

    /** The most links that protocols of others may have here at one time. */
    static final int CHOSEN_MAX = 256;

    /** The most of them from one node, so that it leaves some to the others. */
    static final int CHOSEN_OF_ONE_MAX = 32;

    /** The most links of one peer at one time. A peer uses one; some that it has given up may not have ended yet. */
    static final int PEER_LINKS_MAX = 8;

    private record Boot(NodeId id, long nonce) {
        static Boot of(NodeIdentity identity) {
            return new Boot(identity.id(), identity.nonce());
        }
    }

    /** An incoming link. */
    private static final class Link {
        final Boot boot;

        /** Channel of the protocol that chose it, 0 for the link of a peer. */
        final int chosenBy;

        /** Whether another link of the boot has taken over: then nothing more is read here. */
        boolean succeeded;

        /** Whether bytes came over it and no other link of the boot has taken over since: then it is the peer's link. */
        boolean serves;

        /** Whether it waits for the end of the links that it takes over from. */
        boolean waiting;

        /** Whether it waits for room for a large frame. */
        boolean crowded;

        Link(Boot boot, int chosenBy) {
            this.boot = boot;
            this.chosenBy = chosenBy;
        }

        boolean isRead() {
            return !waiting && !crowded;
        }
    }

    private record Refusal(String address, String reason) {}

    private final NodeIdentity self;
    private final String cluster;
    private final Map<Boot, Refusal> refusals = new LinkedHashMap<>();

    /** The oldest first. */
    private final Map<Channel, Link> incoming = new LinkedHashMap<>();

    private boolean reading = true;

    public Admission(NodeIdentity self, String cluster) {
        this.self = self;
        this.cluster = cluster;
    }

    /** Returns what the acceptor answers; after ACCEPT the channel counts as an incoming link of this boot. */
    synchronized Handshake answer(Handshake.Hello hello, Channel channel) {
        NodeIdentity dialer = hello.identity();
        if (!hello.cluster().equals(cluster)) {
            return refuse(
                    RefusalCode.WRONG_CLUSTER,
                    "this is " + self.id() + " of cluster '" + cluster + "', the dialer belongs to cluster '"
                            + hello.cluster() + "': correct the address or the cluster name");
        }
        if (hello.versionMax() < HandshakeFormat.VERSION_MIN || hello.versionMin() > HandshakeFormat.VERSION_MAX) {
            return refuse(
                    RefusalCode.NO_COMMON_VERSION,
                    self.id() + " speaks wire versions " + HandshakeFormat.VERSION_MIN + " to "
                            + HandshakeFormat.VERSION_MAX + ", " + dialer.id() + " speaks " + hello.versionMin()
                            + " to " + hello.versionMax() + ": upgrade one step at a time");
        }
        if (dialer.id().equals(self.id())) {
            return dialer.nonce() == self.nonce()
                    ? refuse(RefusalCode.SELF, self.id() + " reached itself")
                    : refuse(
                            RefusalCode.ID_IN_USE,
                            "node id " + self.id() + " is in use by a process at " + self.address()
                                    + " and by another one at " + dialer.address()
                                    + ": stop one of them or give it its own id and data directory");
        }
        if (!hello.expected().isEmpty() && !hello.expected().equals(self.id().value())) {
            return refuse(
                    RefusalCode.WRONG_PEER,
                    "the node at this address is " + self.id() + ", the dialer expects " + hello.expected()
                            + ": correct the address of " + hello.expected());
        }
        String reason = reasonAgainst(dialer);
        if (reason != null) {
            return refuse(RefusalCode.REFUSED, reason);
        }
        if (hello.chosenBy() != 0
                && (chosen(link -> true) >= CHOSEN_MAX
                        || chosen(link -> link.boot.id().equals(dialer.id())) >= CHOSEN_OF_ONE_MAX)) {
            return refuse(
                    RefusalCode.REFUSED,
                    self.id() + " has " + CHOSEN_MAX + " links beyond its peers' already, or " + CHOSEN_OF_ONE_MAX
                            + " of " + dialer.id() + ": choose another node");
        }
        incoming.put(channel, new Link(Boot.of(dialer), hello.chosenBy()));
        channel.config().setAutoRead(reading);
        if (hello.chosenBy() == 0) {
            endOldest(Boot.of(dialer));
        }
        return new Handshake.Accept(Math.min(hello.versionMax(), HandshakeFormat.VERSION_MAX), self);
    }

    /**
     * Keeps a peer that dials without end from holding up others. The link that serves the process that dials stays,
     * because all its seeds may lead here at the same moment.
     */
    private void endOldest(Boot dialer) {
        List<Channel> idle = new ArrayList<>();
        int links = 0;
        for (Map.Entry<Channel, Link> each : incoming.entrySet()) {
            Link link = each.getValue();
            if (link.chosenBy == 0 && link.boot.id().equals(dialer.id())) {
                links++;
                if (!link.serves || !link.boot.equals(dialer)) {
                    idle.add(each.getKey());
                }
            }
        }
        if (links > PEER_LINKS_MAX) {
            idle.get(0).close();
        }
    }

    private long chosen(Predicate<Link> which) {
        return incoming.values().stream()
                .filter(link -> link.chosenBy != 0)
                .filter(which)
                .count();
    }

    private static Handshake.Refuse refuse(RefusalCode code, String reason) {
        return new Handshake.Refuse(code, reason);
    }

    /** Returns why this boot of a peer is refused; null if it is not. */
    public synchronized @Nullable String reasonAgainst(NodeIdentity peer) {
        Refusal refusal = refusals.get(Boot.of(peer));
        return refusal == null ? null : refusal.reason();
    }

    /** Refuses a boot from now on and returns its incoming links, which must be closed. */
    public synchronized List<Channel> refuse(NodeIdentity peer, String reason) {
        Boot boot = Boot.of(peer);
        refusals.put(boot, new Refusal(peer.address(), reason));
        if (refusals.size() > REFUSALS_MAX) {
            refusals.remove(refusals.keySet().iterator().next());
        }
        List<Channel> channels = new ArrayList<>();
        incoming.forEach((channel, link) -> {
            if (link.boot.equals(boot)) {
                channels.add(channel);
            }
        });
        return channels;
    }

    /**
     * Called when the first bytes of a link have come: it takes over from all other links of its boot, which must be
     * closed. If there are others, it is not read until {@link #succeeded}.
     *
     * @return those others; null if another link has taken over from this one, which then must be closed
     */
    synchronized @Nullable List<Channel> succeed(Channel next) {
        Link link = incoming.get(next);
        if (link == null || link.succeeded) {
            return null;
        }
        link.serves = true;
        List<Channel> others = new ArrayList<>();
        incoming.forEach((channel, other) -> {
            if (other != link && other.boot.equals(link.boot) && other.chosenBy == 0) {
                other.succeeded = true;
                other.serves = false;
                others.add(channel);
            }
        });
        if (!others.isEmpty()) {
            link.waiting = true;
            next.config().setAutoRead(false);
        }
        return others;
    }

    /** Lets a link be read, once all links that it took over from are closed. */
    synchronized void succeeded(Channel next) {
        Link link = incoming.get(next);
        if (link != null && link.waiting) {
            link.waiting = false;
            next.config().setAutoRead(reading && link.isRead());
        }
    }

    /** Notes whether a link waits for room for a large frame. It is not read meanwhile. */
    synchronized void crowded(Channel channel, boolean on) {
        Link link = incoming.get(channel);
        if (link != null) {
            link.crowded = on;
            channel.config().setAutoRead(reading && link.isRead());
        }
    }

    /** Forgets the refusals of those that are wanted at the address they had when they were refused. */
    public synchronized void pardon(Map<NodeId, String> wanted) {
        refusals.entrySet()
                .removeIf(refused -> refused.getValue()
                        .address()
                        .equals(wanted.get(refused.getKey().id())));
    }

    /** Forgets the refusal of this boot. */
    public synchronized void pardon(NodeIdentity peer) {
        refusals.remove(Boot.of(peer));
    }

    /**
     * Stops reading from all incoming links, or goes on. Connections without a handshake are read in any case: a pause
     * must not turn peers away.
     */
    public synchronized void reading(boolean on) {
        reading = on;
        incoming.forEach((channel, link) -> channel.config().setAutoRead(on && link.isRead()));
    }

    synchronized void left(Channel channel) {
        incoming.remove(channel);
    }
}
