package io.georep.protocol.membership;

import io.georep.codec.Bound;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.model.StoreException;
import io.georep.protocol.BootKind;
import io.georep.spi.EntryStore;
import java.util.random.RandomGenerator;

/**
 * What this node keeps durably about itself: its identity with the incarnation, the stop record, and its drain mark.
 * Also judges what others tell about this node, which may show that its store is older than its past (gap G12).
 */
final class BootRecord {
    /**
     * How many new numbers a boot takes in a row before it concludes that a second process uses its name. The sides of
     * a partition may each know another dead boot of this node, and tell it one after the other. But only a living
     * process answers every number with a higher one.
     */
    private static final int RAISES_MAX = 8;

    /** The highest number of this node that is believed. It leaves room for all boots to come. */
    private static final long INCARNATION_BELIEVED = Bound.INCARNATION.max() / 2;

    private final Timing timing;
    private final PeerList list;
    private final OwnNode own;
    private final long startedAtNanos;
    private long returnAtMillis;
    private long aliveAtNanos;

    /** The time until which the stop record notes a doubtful return, for a next boot that comes before the return is settled. */
    private long settledAtNanos;

    /** How often this boot has taken a new number without a pause of a failover time, and when it did last. */
    private int raises;

    private long raisedAtNanos;

    /** Nonce of the process that last took a number above this node's, 0 for none. */
    private long rivalNonce;

    private BootRecord(Timing timing, PeerList list, OwnNode own, long nowNanos) {
        this.timing = timing;
        this.list = list;
        this.own = own;
        startedAtNanos = nowNanos;
        settledAtNanos = nowNanos + timing.holdBackMaxNanos();
    }

    OwnNode own() {
        return own;
    }

    /** Loads the previous boot and writes what must be durable before the first frame of this one. */
    static BootRecord begin(LocalNode local, Timing timing, PeerList list, EntryStore store, MembershipTurn turn) {
        StoredMembership stored = StoredMembership.load(store, local.id());
        boolean fresh = stored.incarnation == 0;
        if (!Bound.INCARNATION.canRaise(stored.incarnation)) {
            throw new StoreException(
                    StoreException.Kind.CORRUPT,
                    "boot number " + stored.incarnation + " of node '" + local.id() + "' is the last there is:"
                            + " no node gets there by itself. Drain or remove this node and start one with another"
                            + " node id and an empty data directory");
        }
        NodeIdentity identity = new NodeIdentity(
                local.id(),
                Bound.INCARNATION.raise(stored.incarnation),
                fresh ? draw(turn.random()) : stored.generation,
                draw(turn.random()),
                local.address(),
                local.site(),
                turn.hosted());
        StopRecord stop = !fresh && stored.stop == null ? new StopRecord(0, 0, BootKind.LATE) : stored.stop;
        OwnNode own = new OwnNode(identity, StopRecord.judge(stop, turn.wallMillis(), timing), timing);
        own.drainVersion = stored.drainVersion;
        own.drained = stored.drained;
        own.cluster = stored.cluster == null ? identity.generation() : stored.cluster;
        own.settled = stored.settled;
        for (StoredMembership.StoredPeer peer : stored.peers) {
            restore(peer, timing, list, turn);
        }
        BootRecord bootRecord = new BootRecord(timing, list, own, turn.now());
        StoredMembership.writeIdentity(identity, turn.store());
        bootRecord.writeStop(turn);
        return bootRecord;
    }

    /** Draws a number other than 0, which stands for unknown. */
    private static long draw(RandomGenerator random) {
        long drawn = random.nextLong();
        return drawn == 0 ? 1 : drawn;
    }

    private static void restore(StoredMembership.StoredPeer stored, Timing timing, PeerList list, MembershipTurn turn) {
        PeerEntry entry = stored.entry();
        long removedMillis = stored.leftMillis(entry.removedMillis(), turn.wallMillis());
        boolean faded = entry.forgetMillis() < Timing.millisOf(timing.forgetNanos())
                && stored.leftMillis(entry.forgetMillis(), turn.wallMillis()) == 0
                && entry.returnMillis() == 0;
        if (entry.removed() ? removedMillis == 0 : faded) {
            StoredMembership.deletePeer(entry.id(), turn.store());
            return;
        }
        PeerRecord peer = new PeerRecord(entry.id(), timing, turn.now());
        peer.address = entry.address();
        peer.site = entry.site();
        peer.incarnation = entry.incarnation();
        peer.generation = entry.generation();
        peer.nonce = entry.nonce();
        peer.goodbye = entry.goodbye();
        peer.drainVersion = entry.drainVersion();
        peer.drained = entry.drained();
        boolean unheard = entry.forgetMillis() < Timing.millisOf(timing.forgetNanos());
        long forgetMillis = stored.leftMillis(entry.forgetMillis(), turn.wallMillis());
        if (unheard) {
            peer.forgetAtNanos = turn.now() + Timing.nanosOf(forgetMillis);
            peer.leftForGood = entry.leftForGood(timing);
            peer.unsaved = false;
        }
        // Otherwise it was in touch, perhaps until this node went down. Its time begins now, and that is stored.
        if (removedMillis > 0) {
            peer.removedBelow = entry.removedBelow();
            peer.removedUntilNanos = turn.now() + Timing.nanosOf(removedMillis);
        }
        long returnMillis = stored.leftMillis(entry.returnMillis(), turn.wallMillis());
        if (peer.removed()) {
            peer.state = PeerState.TERMINATED;
        } else if (returnMillis > 0) {
            peer.state = PeerState.ARNOLD;
            // It may have come back while this node was down: leave it the time to be heard.
            peer.returnAtNanos = turn.now() + Math.max(Timing.nanosOf(returnMillis), timing.failoverNanos());
        }
        list.add(peer, turn);
    }

    /** Judges what another node knows about this one; {@code isLimited} is whether it may not decide over others. */
    void onOwnEntry(PeerEntry entry, boolean isLimited, MembershipTurn turn) {
        if (own.isOlderThan(entry) && !replaces(entry, turn)) {
            supersede(entry, isLimited, turn);
        }
        if (ListMerge.isLaterDrain(entry, own.drainVersion, own.drained)) {
            drain(entry.drainVersion(), entry.drained(), turn);
        }
        if (entry.removedBelow() > own.identity.incarnation() && !own.removed) {
            own.removed = true;
            writeStop(turn);
            turn.store().requireDurable();
            turn.notify(new MembershipEvent.Removed(own.identity.id()));
        }
    }

    /**
     * Returns whether it tells of a replacement of this process: this process was started before its name was removed,
     * and the other one joined after that. A process that was started since then is itself a replacement, and takes the
     * next incarnation. The node that tells may have forgotten the removal, or may not speak of it.
     */
    private boolean replaces(PeerEntry entry, MembershipTurn turn) {
        if (own.removed) {
            return !entry.removed();
        }
        boolean joinedSince = entry.removedBelow() > own.identity.incarnation() && !entry.removed();
        long removedForNanos = timing.tombstoneNanos() - Timing.nanosOf(entry.removedMillis());
        return joinedSince && turn.now() - startedAtNanos >= removedForNanos;
    }

    /** Gap G12: takes a boot number that nobody has seen, and says nothing until it is durable. */
    private void supersede(PeerEntry entry, boolean isLimited, MembershipTurn turn) {
        boolean again = raises > 0 && turn.now() - raisedAtNanos < timing.failoverNanos();
        if ((again && raises == RAISES_MAX) || entry.incarnation() > INCARNATION_BELIEVED) {
            if (entry.nonce() != rivalNonce) {
                rivalNonce = entry.nonce();
                turn.notify(new MembershipEvent.Conflict(entry.id(), rivalText(entry)));
            }
            return;
        }
        raises = again ? raises + 1 : 1;
        raisedAtNanos = turn.now();
        boolean isNew = own.bootKind == BootKind.FRESH && entry.generation() != own.identity.generation();
        own.raise(Bound.INCARNATION.raise(Math.max(entry.incarnation(), own.identity.incarnation())));
        own.bootKind = isNew ? BootKind.FRESH : BootKind.STALE;
        own.silent = true;
        own.removed = false;
        settledAtNanos = turn.now() + timing.holdBackMaxNanos();
        StoredMembership.writeIdentity(own.identity, turn.store());
        writeStop(turn);
        turn.staleStore(!isLimited);
        turn.notifyWhenDurable(new MembershipEvent.StaleStore(own.identity.incarnation(), own.bootKind));
        list.ownEntryChanged();
        long incarnation = own.identity.incarnation();
        turn.whenDurable(durable -> {
            MembershipTurn later = MembershipTurn.of(durable);
            if (incarnation == own.identity.incarnation()) {
                speakAgain(later);
            }
        });
    }

    private String rivalText(PeerEntry entry) {
        return "peers know incarnation " + entry.incarnation() + " of node id '" + entry.id() + "' at "
                + entry.address()
                + ", above incarnation " + own.identity.incarnation() + " that this node at "
                + own.identity.address() + " has just taken: two processes use this id; stop one of them and give it a"
                + " node id and a data directory of its own";
    }

    private void speakAgain(MembershipTurn turn) {
        own.silent = false;
        for (PeerRecord peer : list.linked()) {
            peer.welcomeDue = true;
            list.touch(peer);
            if (peer.inTouch()) {
                turn.peerReachable(peer);
            }
        }
    }

    void drain(long version, boolean on, MembershipTurn turn) {
        boolean flips = own.drained != on;
        own.drainVersion = version;
        own.drained = on;
        StoredMembership.writeDrain(own, turn.store());
        list.ownEntryChanged();
        if (flips) {
            turn.notify(new MembershipEvent.Drained(own.identity.id(), on));
        }
    }

    /** Stores that this node is about to say GOODBYE. */
    void leaving(long returnAtWallMillis, MembershipTurn turn) {
        returnAtMillis = returnAtWallMillis;
        writeStop(turn);
    }

    void onTimer(MembershipTurn turn) {
        if (aliveAtNanos + timing.suspectNanos() <= turn.now()) {
            writeStop(turn);
        }
    }

    private void writeStop(MembershipTurn turn) {
        aliveAtNanos = turn.now();
        boolean settled = own.bootKind == BootKind.FRESH || settledAtNanos <= turn.now();
        BootKind unsettled = settled ? BootKind.PROMPT : own.bootKind;
        if (own.removed) {
            unsettled = BootKind.LATE; // Others adopt at once, so the next boot asks them before it hands anything out.
        }
        StoredMembership.writeStop(new StopRecord(turn.wallMillis(), returnAtMillis, unsettled), turn.store());
    }

    long nextDeadlineNanos() {
        return aliveAtNanos + timing.suspectNanos();
    }
}
