package io.georep.protocol.membership;

/** What operators ask for (M22, M23, M32). */
final class OperatorOrders {
    private final Timing timing;
    private final PeerList list;
    private final ListMerge merge;
    private final BootRecord bootRecord;
    private final Formation formation;

    OperatorOrders(Timing timing, PeerList list, ListMerge merge, BootRecord bootRecord, Formation formation) {
        this.timing = timing;
        this.list = list;
        this.merge = merge;
        this.bootRecord = bootRecord;
        this.formation = formation;
    }

    void obey(Object command, MembershipTurn turn) {
        if (command instanceof MembershipCommand.Drain drain) {
            drain(drain, turn);
        } else if (command instanceof MembershipCommand.Remove remove) {
            remove(remove, turn);
        } else if (command instanceof MembershipCommand.JoinClusterOf join) {
            join(join, turn);
        } else {
            throw new IllegalArgumentException("membership has no command " + command);
        }
    }

    private void drain(MembershipCommand.Drain drain, MembershipTurn turn) {
        OwnNode own = bootRecord.own();
        PeerRecord peer = list.find(drain.node());
        if (drain.node().equals(own.identity.id())) {
            bootRecord.drain(MembershipBounds.DRAIN_VERSION.raise(own.drainVersion), drain.on(), turn);
        } else if (peer != null && !peer.stranger) {
            merge.drain(peer, MembershipBounds.DRAIN_VERSION.raise(peer.drainVersion), drain.on(), turn);
            list.ordered(peer);
        }
    }

    private void remove(MembershipCommand.Remove remove, MembershipTurn turn) {
        PeerRecord peer = list.find(remove.node());
        if (peer != null && !peer.stranger && !peer.removed()) {
            merge.remove(peer, MembershipBounds.REMOVED_BELOW.raise(peer.incarnation), timing.tombstoneNanos(), turn);
            list.ordered(peer);
        }
    }

    private void join(MembershipCommand.JoinClusterOf join, MembershipTurn turn) {
        PeerRecord peer = list.find(join.node());
        if (peer != null && peer.foreignWord != null) {
            formation.follow(peer.foreignWord.id(), turn);
        }
    }
}
