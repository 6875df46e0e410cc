package io.georep.geopaxos.core;

import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.geopaxos.core.messages.GeoEvent.Reason;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.geopaxos.core.messages.GeoOutlet;
import io.georep.model.NodeId;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Calls of a node that has no part in the groups: the nearest node that has one makes them in its name. It is asked again now and then, which
 * it notices. If it is out of reach another one is asked, unless the call is a write without a number, which could take effect twice: nobody
 * knows what became of that.
 */
final class RemoteCalls {
    private static final class Asked {
        final GeoCommand command;

        /** Makes the call; null while nobody is in reach. */
        @Nullable
        NodeId node;

        /** Do not make it. */
        final TreeSet<NodeId> others = new TreeSet<>();

        /** Whether somebody may have made it who is out of reach. */
        boolean isDoubtful;

        long repeatAt;
        long pause;

        Asked(GeoCommand command) {
            this.command = command;
        }

        /** Returns whether it takes effect only once, or has none. */
        boolean isRepeatable() {
            return !(command instanceof GeoCommand.Submit submit) || submit.sequence() > 0;
        }
    }

    /** The pauses between two questions grow up to so many times the first one. */
    private static final int PAUSES_MAX = 32;

    private final Peers peers;
    private final GeoGroups groups;
    private final Supplier<? extends Collection<NodeId>> parts;
    private final BiConsumer<NodeId, GeoMessage> sender;
    private final GeoOutlet outlet;
    private final TreeMap<Long, Asked> open = new TreeMap<>();

    /** No number of this life is one of an earlier one, whose answers may be on their way. */
    private final long base;

    private long repeatAt = Long.MAX_VALUE;

    /**
     * Creates it.
     *
     * @param parts nodes that have a part, as far as this node knows
     */
    RemoteCalls(
            Peers peers,
            GeoGroups groups,
            Supplier<? extends Collection<NodeId>> parts,
            BiConsumer<NodeId, GeoMessage> sender,
            GeoOutlet outlet,
            RandomGenerator random) {
        this.peers = peers;
        this.groups = groups;
        this.parts = parts;
        this.sender = sender;
        this.outlet = outlet;
        base = random.nextLong() >>> 2;
    }

    /** Has a call made. */
    void ask(long number, GeoCommand command, long now) {
        Asked asked = new Asked(command);
        open.put(number, asked);
        asked.pause = groups.timing().lease();
        if (!asks(number, asked, now)) {
            ends(number, Reason.NO_PART, Reason.NO_PART.text);
        }
    }

    /** Asks the nearest node that is in reach and has not refused. Returns whether there is one. */
    private boolean asks(long number, Asked asked, long now) {
        asked.node = nearest(asked.others);
        asked.repeatAt = now + asked.pause;
        repeatAt = repeatAt == Long.MAX_VALUE || asked.repeatAt - repeatAt < 0 ? asked.repeatAt : repeatAt;
        if (asked.node == null) {
            return false;
        }
        sender.accept(asked.node, GeoMessage.Call.of(base + number, asked.command, false));
        return true;
    }

    /** One that this node knows to have a part; another one only if none of those is left: the nodes may be others by now. */
    private @Nullable NodeId nearest(Collection<NodeId> others) {
        Collection<NodeId> known = parts.get();
        NodeId nearest = null;
        for (Peer peer : peers.linked()) {
            NodeId node = peer.id();
            boolean isCandidate =
                    peer.version(GeoPaxosProtocol.CHANNEL) > 0 && !peer.limited() && !others.contains(node);
            if (isCandidate && (nearest == null || isBetter(node, nearest, known))) {
                nearest = node;
            }
        }
        return nearest;
    }

    private boolean isBetter(NodeId node, NodeId than, Collection<NodeId> known) {
        boolean isKnown = known.contains(node);
        return isKnown == known.contains(than)
                ? groups.nearness().nanosTo(node) < groups.nearness().nanosTo(than)
                : isKnown;
    }

    /** Returns whether somebody is in reach who may have a part. */
    boolean isServed() {
        return nearest(List.of()) != null;
    }

    private boolean isInReach(NodeId node) {
        Peer peer = peers.find(node);
        return peer != null && peer.linked() && peer.version(GeoPaxosProtocol.CHANNEL) > 0;
    }

    /** The node that was asked says what became of a call. */
    void onAnswer(NodeId from, GeoMessage.Answer answer, long now) {
        long number = answer.number() - base;
        Asked asked = open.get(number);
        if (asked == null || !from.equals(asked.node)) {
            return;
        }
        Reason reason = answer.reason();
        if (reason == null) {
            open.remove(number);
            outlet.answered(number, answer.result());
        } else if (reason != Reason.NO_PART && reason != Reason.LEFT_BEHIND) {
            ends(number, reason, answer.why());
        } else {
            asked.others.add(from);
            if (!asks(number, asked, now) && !asked.isDoubtful) {
                ends(number, reason, answer.why());
            }
        }
    }

    /** It was refused. If somebody else may have made the call before, nobody knows. */
    private void ends(long number, Reason reason, String why) {
        Asked asked = open.remove(number);
        if (asked != null && asked.isDoubtful) {
            outlet.answered(number, null);
        } else {
            outlet.refused(number, reason, why);
        }
    }

    /** Asks again for what has no answer. */
    void endOfTurn(long now) {
        if (repeatAt == Long.MAX_VALUE || now - repeatAt < 0) {
            return;
        }
        new TreeMap<>(open).forEach((number, asked) -> {
            if (now - asked.repeatAt >= 0) {
                repeat(number, asked, now);
            }
        });
        repeatAt = Long.MAX_VALUE;
        for (Asked asked : open.values()) {
            repeatAt = repeatAt == Long.MAX_VALUE || asked.repeatAt - repeatAt < 0 ? asked.repeatAt : repeatAt;
        }
    }

    private void repeat(long number, Asked asked, long now) {
        asked.pause = Math.min(2 * asked.pause, PAUSES_MAX * groups.timing().lease());
        if (asked.node != null && isInReach(asked.node)) {
            asked.repeatAt = now + asked.pause;
            sender.accept(asked.node, GeoMessage.Call.of(base + number, asked.command, true));
        } else if (asked.isRepeatable()) {
            asked.isDoubtful |= asked.node != null && asked.command instanceof GeoCommand.Submit;
            asked.others.clear();
            asks(number, asked, now);
        } else {
            open.remove(number);
            outlet.answered(number, null);
        }
    }

    /** Returns when {@link #endOfTurn} is to be called at the latest. */
    long nextDeadlineNanos() {
        return repeatAt;
    }
}
