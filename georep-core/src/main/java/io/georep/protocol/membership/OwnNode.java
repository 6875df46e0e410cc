package io.georep.protocol.membership;

import io.georep.model.NodeIdentity;
import io.georep.protocol.BootKind;

/** What this node knows about itself; the part that is gossiped makes its line in the peer list. */
final class OwnNode {
    NodeIdentity identity;
    BootKind bootKind;

    /** How many GOODBYEs this node has sent in this boot. */
    long goodbye;

    /** Until when others may not give this node up. */
    long returnAtNanos;

    long drainVersion;
    boolean drained;

    /** Whether it was told that an operator removed it. It then says so itself, because others forget it. */
    boolean removed;

    /** Id of the cluster this node belongs to (M28); at first a candidate of its own: the number its store was given. */
    long cluster;

    /** Whether that id is kept whatever this node meets (M30). */
    boolean settled;

    /** The id this node gave up for another one by an operator's order in this boot, 0 for none. */
    long clusterLeft;

    /** Whether its store takes new entries and copies. */
    boolean storeTakes = true;

    /** The incarnation was raised and is not durable yet: no frame may leave. */
    boolean silent;

    private final long forgetNanos;
    private final long tombstoneNanos;

    OwnNode(NodeIdentity identity, BootKind bootKind, Timing timing) {
        this.identity = identity;
        forgetNanos = timing.forgetNanos();
        tombstoneNanos = timing.tombstoneNanos();
        this.bootKind = bootKind;
    }

    PeerEntry entry(long nowNanos) {
        return new PeerEntry(
                identity.id(),
                identity.address(),
                identity.site(),
                identity.incarnation(),
                identity.generation(),
                identity.nonce(),
                goodbye,
                goodbye > 0 ? Timing.millisOf(returnAtNanos - nowNanos) : 0,
                drainVersion,
                drained,
                removed ? MembershipBounds.REMOVED_BELOW.raise(identity.incarnation()) : 0,
                removed ? Timing.millisOf(tombstoneNanos) : 0,
                Timing.millisOf(forgetNanos));
    }

    /** Returns whether the entry tells of a boot of this id that this process is not and that it does not supersede. */
    boolean isOlderThan(PeerEntry entry) {
        boolean higher = entry.incarnation() > identity.incarnation();
        boolean usedTwice = entry.incarnation() == identity.incarnation()
                && entry.nonce() != 0
                && entry.nonce() != identity.nonce();
        return higher || usedTwice;
    }

    void raise(long incarnation) {
        identity = identity.withIncarnation(incarnation);
    }

    void limited() {
        identity = identity.withLimited(true);
    }

    void bound(String address) {
        identity = identity.withAddress(address);
    }
}
