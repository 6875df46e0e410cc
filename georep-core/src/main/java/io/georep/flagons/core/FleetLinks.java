package io.georep.flagons.core;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.Slice;
import io.georep.protocol.LinkingTurn;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The links to other nodes. A message to a node without a link opens one and waits for it. An address that could not be
 * reached is left alone for a while.
 */
final class FleetLinks {
    private static final int WAITING_MAX = 32;

    private static final int PAUSES_MAX = 256;

    private static final long PAUSE_MILLIS = 5_000;

    /** The pause doubles with each attempt in vain, so that a lie about an address makes nobody dial it often. */
    private static final long PAUSE_MILLIS_MAX = 60_000;

    private record Pause(long until, long millis) {}

    private record Waiting(int type, Slice body, boolean whenDurable) {}

    private static final class Link {
        /** Who was found there; null until the link is up. */
        @Nullable
        String reached;

        final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    }

    private final Map<String, Link> links = new LinkedHashMap<>();
    private final Map<String, Pause> pauses = new LinkedHashMap<>();

    /** Who was at the other end of links that are gone, of addresses whose answers are awaited. Those of strangers are not among them. */
    private final Map<String, String> before = new HashMap<>();

    private final Predicate<String> isAwaited;
    private long dropped;

    /**
     * Creates them.
     *
     * @param isAwaited whether this node has asked an address by itself, and goes by who was found there; true of few at a time
     */
    FleetLinks(Predicate<String> isAwaited) {
        this.isAwaited = isAwaited;
    }

    /** Sends a message, or keeps it until the link is up; returns whether it did. */
    boolean send(String address, int type, Slice body, boolean whenDurable, LinkingTurn turn, long now) {
        if (body.length() > LinkingTurn.LINK_MESSAGE_BYTES_MAX) {
            dropped++;
            return false;
        }
        Link link = links.get(address);
        if (link == null) {
            Pause pause = pauses.get(address);
            if (pause != null && now < pause.until) {
                dropped++;
                return false;
            }
            link = new Link();
            links.put(address, link);
            turn.openLink(address);
        }
        Waiting message = new Waiting(type, body, whenDurable);
        if (link.reached != null) {
            sendNow(address, message, turn);
        } else if (link.waiting.size() < WAITING_MAX) {
            link.waiting.add(message);
        } else {
            dropped++;
            return false;
        }
        return true;
    }

    /** Opens a link, if there is none and the address may be tried again. */
    void open(String address, LinkingTurn turn, long now) {
        Pause pause = pauses.get(address);
        if (!links.containsKey(address) && (pause == null || now >= pause.until)) {
            links.put(address, new Link());
            turn.openLink(address);
        }
    }

    /** Returns whether the last attempt to reach an address was in vain, and nothing was heard from there since. */
    boolean isAway(String address) {
        return pauses.containsKey(address);
    }

    private static void sendNow(String address, Waiting message, LinkingTurn turn) {
        if (message.whenDurable) {
            turn.sendWhenDurable(address, message.type, message.body);
        } else {
            turn.send(address, message.type, message.body);
        }
    }

    void up(String address, NodeId node, LinkingTurn turn) {
        Link link = links.get(address);
        if (link != null) {
            link.reached = account(node);
            pauses.remove(address);
            link.waiting.forEach(message -> sendNow(address, message, turn));
            link.waiting.clear();
        }
    }

    /**
     * Returns who is held to account for what somebody sends: its name, by whatever addresses it calls itself, and whether there are links to
     * them or not; null if this node has reached another one at the address. Names are as sure as the links make them: with certificates nobody
     * has the name of another node.
     */
    @Nullable
    String account(NodeIdentity of) {
        Link link = links.get(of.address());
        String account = account(of.id());
        return link == null || link.reached == null || link.reached.equals(account) ? account : null;
    }

    /** A name may look like an address, by which a node calls itself. */
    private static String account(NodeId node) {
        return "?" + node.value();
    }

    /**
     * Returns whether somebody was found at an address, and nobody else since. It may call itself by another one. Of a link that is gone
     * this is known only if answers from there are awaited.
     */
    boolean isAt(String address, String account) {
        Link link = links.get(address);
        return account.equals(link == null || link.reached == null ? before.get(address) : link.reached);
    }

    /** A node at this address is there: it has sent something. */
    void heard(String address) {
        pauses.remove(address);
    }

    /** Forgets a link; one that never was up is not tried again soon. Returns whether it was such a one. */
    boolean down(String address, long now) {
        Link link = links.remove(address);
        if (link == null) {
            return false;
        }
        if (link.reached != null) {
            before.keySet().removeIf(isAwaited.negate());
            if (isAwaited.test(address)) {
                before.put(address, link.reached);
            }
            return false;
        }
        dropped += link.waiting.size();
        Pause last = pauses.remove(address);
        long millis = last == null ? PAUSE_MILLIS : Math.min(2 * last.millis, PAUSE_MILLIS_MAX);
        pauses.put(address, new Pause(now + millis, millis));
        if (pauses.size() > PAUSES_MAX) {
            pauses.remove(pauses.keySet().iterator().next());
        }
        return true;
    }

    /** Returns how many messages were not sent for want of a link. */
    long dropped() {
        return dropped;
    }
}
