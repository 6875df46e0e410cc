package io.georep.geopaxos.core;

import io.georep.geopaxos.core.contact.ClientOrder;
import io.georep.geopaxos.core.contact.Submissions;
import io.georep.geopaxos.core.execution.Footprint;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.geopaxos.core.messages.GeoEvent.Reason;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.geopaxos.core.messages.GeoOutlet;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import java.util.Collection;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Calls of a node that has no part in the groups: the nearest node that has one makes them in its name. It is asked
 * again now and then, which it notices. If it is out of reach, or silent for long, another one is asked, unless the
 * call is a write without a number, which could take effect twice: nobody knows what became of that. Nodes that are
 * asked differ, so the order of a client's calls is kept here.
 */
final class RemoteCalls {
    private static final class Asked {
        final GeoCommand command;

        /** The node that makes the call; null while none does. */
        @Nullable
        NodeId node;

        /** Nodes that are not asked next: they have refused to make it, or were silent. */
        final TreeSet<NodeId> passedOver = new TreeSet<>();

        /** Its place in the order of its client; null if it has no number. */
        ClientOrder.@Nullable Place place;

        /** Whether it waits for an earlier call of its client. */
        boolean isHeld;

        /** Whether a node may have made the call. Then the refusal of another node is no answer. */
        boolean isDoubtful;

        long repeatAt;
        long pause;
        int repeats;

        Asked(GeoCommand command) {
            this.command = command;
        }

        boolean isNumbered() {
            return command instanceof GeoCommand.Submit submit && submit.sequence() > 0;
        }

        /** Returns whether it may be repeated: it takes effect once at the most, or has no effect. */
        boolean isRepeatable() {
            return !(command instanceof GeoCommand.Submit) || isNumbered();
        }
    }

    /** The pauses between two questions grow up to so many times the first one. */
    private static final int PAUSES_MAX = 32;

    /** After so many questions without an answer another node is asked. */
    private static final int QUESTIONS = 3;

    private final Peers peers;
    private final GeoGroups groups;
    private final Supplier<? extends Collection<NodeId>> parts;
    private final Function<Slice, Footprint> footprints;
    private final BiConsumer<NodeId, GeoMessage> sender;
    private final GeoOutlet outlet;
    private final TreeMap<Long, Asked> open = new TreeMap<>();
    private final ClientOrder order;

    /** Nodes that have said that they have no part in the groups, when they were asked last. */
    private final TreeSet<NodeId> without = new TreeSet<>();

    /** Where the numbers of this boot begin: answers to an earlier boot may still come, and must not match. */
    private final long base;

    private long repeatAt = Long.MAX_VALUE;

    /**
     * Creates it.
     *
     * @param parts nodes that have a part, as far as this node knows
     * @param footprints what operations touch
     */
    RemoteCalls(
            Peers peers,
            GeoGroups groups,
            Supplier<? extends Collection<NodeId>> parts,
            Function<Slice, Footprint> footprints,
            Rules rules,
            BiConsumer<NodeId, GeoMessage> sender,
            GeoOutlet outlet,
            RandomGenerator random) {
        this.peers = peers;
        this.groups = groups;
        this.parts = parts;
        this.footprints = footprints;
        this.sender = sender;
        this.outlet = outlet;
        order = new ClientOrder(rules);
        base = random.nextLong() >>> 2;
    }

    /** Has a call made. */
    void ask(long number, GeoCommand command, long now) {
        ask(number, new Asked(command), now);
    }

    /** The same for one that may have been made already. */
    void askAgain(long number, GeoCommand command, long now) {
        Asked asked = new Asked(command);
        asked.isDoubtful = asked.isNumbered();
        ask(number, asked, now);
    }

    private void ask(long number, Asked asked, long now) {
        asked.pause = groups.timing().lease();
        open.put(number, asked);
        if (asked.command instanceof GeoCommand.Submit it && asked.isNumbered()) {
            Submissions.Call call = new Submissions.Call(
                    number, Operation.SERVICE, it.client(), it.sequence(), it.acked(), 0, it.operation());
            ClientOrder.Place place = order.add(call, footprints.apply(it.operation()));
            asked.place = place;
            asked.isHeld = !order.isNext(place);
        }
        if (!asked.isHeld) {
            begin(number, asked, now);
        }
    }

    private void begin(long number, Asked asked, long now) {
        asked.isHeld = false;
        if (!asks(number, asked, now) && !asked.isDoubtful) {
            refuse(number, Reason.NO_PART, Reason.NO_PART.text, now);
        }
    }

    /** Asks the nearest node that is in reach and has not refused. Returns whether there is one. */
    private boolean asks(long number, Asked asked, long now) {
        asked.node = nearest(asked.passedOver);
        asked.repeatAt = now + asked.pause;
        repeatAt = repeatAt == Long.MAX_VALUE || asked.repeatAt - repeatAt < 0 ? asked.repeatAt : repeatAt;
        if (asked.node == null) {
            return false;
        }
        sender.accept(asked.node, GeoMessage.Call.of(base + number, asked.command, false));
        return true;
    }

    /**
     * Returns a node that this one knows to have a part; another one only if none of those is left, because the nodes
     * may be others by now.
     */
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
        return nearest(without) != null;
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
        if (reason == Reason.NO_PART) {
            without.add(from);
        } else {
            without.remove(from);
        }
        if (reason == null) {
            ends(number, now);
            outlet.answered(number, answer.result());
            return;
        }
        // One that is left behind may have had it ordered before.
        asked.isDoubtful |= reason == Reason.LEFT_BEHIND && asked.isNumbered();
        if (reason == Reason.NO_PART || reason == Reason.LEFT_BEHIND) {
            asked.passedOver.add(from);
            if (asks(number, asked, now)) {
                return;
            }
        }
        if (asked.isDoubtful) {
            asked.node = null; // it is asked again when it is due
        } else {
            refuse(number, reason, answer.why(), now);
        }
    }

    private void refuse(long number, Reason reason, String why, long now) {
        ends(number, now);
        outlet.refused(number, reason, why);
    }

    private void ends(long number, long now) {
        Asked asked = open.remove(number);
        if (asked != null && asked.place != null) {
            order.ends(asked.place, next -> {
                Asked later = open.get(next.call().token());
                if (later != null) {
                    begin(next.call().token(), later, now);
                }
            });
        }
    }

    /** Asks again for what has no answer. */
    void endOfTurn(long now) {
        if (repeatAt == Long.MAX_VALUE || now - repeatAt < 0) {
            return;
        }
        new TreeMap<>(open).forEach((number, asked) -> {
            if (!asked.isHeld && open.containsKey(number) && now - asked.repeatAt >= 0) {
                repeat(number, asked, now);
            }
        });
        repeatAt = Long.MAX_VALUE;
        for (Asked asked : open.values()) {
            boolean isEarlier = repeatAt == Long.MAX_VALUE || asked.repeatAt - repeatAt < 0;
            repeatAt = isEarlier && !asked.isHeld ? asked.repeatAt : repeatAt;
        }
    }

    private void repeat(long number, Asked asked, long now) {
        asked.pause = Math.min(2 * asked.pause, PAUSES_MAX * groups.timing().lease());
        asked.isDoubtful |= asked.isNumbered(); // a boot before this one may have made it
        NodeId node = asked.node;
        boolean isInReach = node != null && isInReach(node);
        if (!isInReach && !asked.isRepeatable()) {
            ends(number, now);
            outlet.answered(number, null);
            return;
        }
        asked.repeats++;
        if (asked.isRepeatable() && (!isInReach || asked.repeats % QUESTIONS == 0)) {
            asked.passedOver.clear();
            if (node != null) {
                asked.passedOver.add(node);
            }
            if (asks(number, asked, now) || !isInReach) {
                return;
            }
            asked.node = node;
        }
        asked.repeatAt = now + asked.pause;
        sender.accept(Objects.requireNonNull(node), GeoMessage.Call.of(base + number, asked.command, true));
    }

    /** Returns when {@link #endOfTurn} is to be called at the latest. */
    long nextDeadlineNanos() {
        return repeatAt;
    }
}
