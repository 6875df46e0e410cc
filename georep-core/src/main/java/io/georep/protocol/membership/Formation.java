package io.georep.protocol.membership;

import io.georep.model.NodeIdentity;
import io.georep.protocol.Peers;
import io.georep.protocol.membership.ClusterWord.Standing;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides which cluster this node belongs to (M28 to M32). A name is not enough: two clusters that were never given one
 * have the same. So a cluster has a number as well. While it forms, a node takes over the number of any node that it
 * meets. Once all nodes that it knows agree, it is settled, and keeps its number whatever it meets.
 */
final class Formation {
    /** What to do with a frame. */
    enum Verdict {
        /** Its sender belongs to this cluster, perhaps because of this frame. */
        OURS,
        /** Its sender will belong to this cluster as soon as it hears of it. */
        NOT_YET,
        /** Its sender belongs to another cluster. */
        FOREIGN
    }

    private final Timing timing;
    private final PeerList list;
    private final OwnNode own;
    private final Greeter greeter;

    /** Seeds that were not reached in this boot. */
    private final TreeSet<String> sought;

    private @Nullable ClusterWord settledWord;

    /** Whether something happened that may let this node settle. */
    private boolean news = true;

    /** Whether all agree, and only the time is missing in which an older cluster could be heard of. */
    private boolean waits;

    private final PausedReading pausedReading;
    private final long startedAtNanos;

    Formation(
            Timing timing,
            PeerList list,
            OwnNode own,
            Greeter greeter,
            PausedReading pausedReading,
            List<String> seeds,
            long nowNanos) {
        this.timing = timing;
        this.pausedReading = pausedReading;
        startedAtNanos = nowNanos;
        this.list = list;
        this.own = own;
        this.greeter = greeter;
        sought = new TreeSet<>(seeds);
    }

    /** Returns what frames say about this node's cluster. */
    ClusterWord word() {
        if (own.settled) {
            // Asked for with every frame.
            if (settledWord == null || settledWord.id() != own.cluster) {
                settledWord = new ClusterWord(own.cluster, Standing.SETTLED, 0);
            }
            return settledWord;
        }
        return new ClusterWord(own.cluster, sought.isEmpty() ? Standing.FORMING : Standing.SEEKING, list.digest(own));
    }

    /** Judges a frame before anything else is done with it, and takes the sender's cluster where that is the rule. */
    Verdict judge(@Nullable PeerRecord known, NodeIdentity from, FrameHeader header, MembershipTurn turn) {
        ClusterWord before = known == null || known.wordNonce != from.nonce() ? null : known.word;
        ClusterWord word = newest(known, before, header);
        if (word == null || word.id() == own.cluster) {
            // A node leaves its cluster out of its frames once this node has confirmed a frame with it. What is refused
            // is never confirmed, so that node was let in before (M28).
            return settledWith(word, turn);
        }
        if (!own.settled) {
            if (word.isSettled() || Long.compareUnsigned(word.id(), own.cluster) < 0) {
                take(word.id(), word.isSettled(), turn);
            }
            return Verdict.OURS;
        }
        if (!word.isSettled()) {
            return before == null ? Verdict.NOT_YET : Verdict.OURS;
        }
        boolean moved = before != null && before.isSettled() && before.id() == own.cluster && !from.limited();
        if (moved) {
            // M32: nothing but an order changes the number of a settled node, and an order is for its whole cluster.
            follow(word.id(), turn);
            return Verdict.OURS;
        }
        boolean follows = before != null && own.clusterLeft != 0 && word.id() == own.clusterLeft;
        return follows ? Verdict.OURS : Verdict.FOREIGN;
    }

    private Verdict settledWith(@Nullable ClusterWord word, MembershipTurn turn) {
        if (word != null && word.isSettled() && !own.settled) {
            take(word.id(), true, turn);
        }
        return Verdict.OURS;
    }

    /** Returns the word of the newest frame of a process, because urgent frames overtake others. */
    private static @Nullable ClusterWord newest(
            @Nullable PeerRecord known, @Nullable ClusterWord before, FrameHeader header) {
        boolean overtaken = known != null && before != null && header.number() < known.wordNumber;
        return header.cluster() == null || overtaken ? before : header.cluster();
    }

    /** Remembers what the sender of a frame says of its cluster, once the frame is let in. */
    void heard(PeerRecord peer, NodeIdentity from, FrameHeader header) {
        peer.foreignWord = null;
        boolean same = peer.wordNonce == from.nonce();
        if (header.cluster() != null && (!same || header.number() >= peer.wordNumber)) {
            peer.word = header.cluster();
            peer.wordNumber = header.number();
            news = true;
        } else if (!same) {
            peer.word = null;
        }
        peer.wordNonce = from.nonce();
    }

    /** Notes that the transport has reached all nodes behind a seed. */
    void seedReached(String seed) {
        news |= sought.remove(seed);
    }

    /** M32: an operator's order, for this node and all that are in touch with it. */
    void follow(long cluster, MembershipTurn turn) {
        if (!own.settled || own.cluster != cluster) {
            own.clusterLeft = own.settled ? own.cluster : 0;
            take(cluster, true, turn);
        }
    }

    private void take(long cluster, boolean settled, MembershipTurn turn) {
        boolean moved = own.settled && own.cluster != cluster;
        own.cluster = cluster;
        own.settled = settled;
        StoredMembership.writeCluster(own, turn.store());
        if (settled) {
            // A seed that forgets this could begin another cluster with a seed that lost its store.
            turn.store().requireDurable();
            turn.notify(new MembershipEvent.Settled(ClusterWord.text(cluster)));
        }
        greeter.announceCluster(turn.now());
        news = true;
        if (moved) {
            // What was said under the former number may have been refused where the new one was known before.
            for (PeerRecord peer : list.all()) {
                if (peer.inTouch() && peer.linked) {
                    turn.peerReachable(peer);
                }
            }
        }
    }

    /**
     * M30: this node settles when there is another one, all its seeds were reached, and every name it knows has said
     * the same number last, with the same list, and seeks nobody. Two parts of one cluster can both settle only if
     * neither has ever heard of the other, and no seed leads from one to the other.
     *
     * <p>It settles no earlier than T_s + T_x after its start; time in which it could not hear does not count. Perhaps
     * the stores of all seeds were emptied at once. Then they look like new ones, and only the other nodes of their
     * cluster know its number. These dial the seeds, and this time is long enough for every node that lives.
     */
    void endOfTurn(MembershipTurn turn) {
        boolean due = waits && turn.now() >= settlesAtNanos();
        if (own.settled || !(news || due || list.isChanged())) {
            return;
        }
        news = false;
        sought.remove(own.identity.address());
        for (PeerRecord peer : list.all()) {
            sought.remove(peer.address);
        }
        waits = sought.isEmpty() && agreed();
        if (waits && turn.now() >= settlesAtNanos()) {
            take(own.cluster, true, turn);
        }
    }

    private long settlesAtNanos() {
        return startedAtNanos + timing.failoverNanos() + pausedReading.pausedNanos();
    }

    /** Returns when this node settles if nothing happens before; {@link Long#MAX_VALUE} for never. */
    long nextDeadlineNanos() {
        return waits && !own.settled ? settlesAtNanos() : Long.MAX_VALUE;
    }

    private boolean agreed() {
        long digest = list.digest(own);
        boolean company = false;
        for (PeerRecord peer : list.all()) {
            if (peer.removed() || peer.leftForGood) {
                continue;
            }
            // The digest says of which boots: it differs when the peer was started anew since.
            ClusterWord word = peer.word;
            boolean agrees = word != null
                    && word.id() == own.cluster
                    && word.standing() != Standing.SEEKING
                    && word.digest() == digest;
            if (!agrees) {
                return false;
            }
            company = true;
        }
        return company;
    }

    /** For operators: what this node belongs to, and what it waits for before that is settled. */
    Peers.Cluster describe() {
        return new Peers.Cluster(ClusterWord.text(own.cluster), own.settled, own.settled ? "" : waitsFor());
    }

    private String waitsFor() {
        if (waits) {
            return "anybody who knows an older cluster of these seeds, until T_s + T_x after the start";
        }
        if (!sought.isEmpty()) {
            return "seeds that were not reached yet: " + String.join(", ", sought);
        }
        String silent = list.all().stream()
                .filter(peer -> !peer.removed() && !peer.leftForGood && !peer.inTouch())
                .map(peer -> peer.id.value())
                .collect(Collectors.joining(", "));
        return silent.isEmpty() ? "another node that agrees" : "a word of " + silent;
    }
}
