package io.georep.protocol;

import io.georep.model.NodeId;
import io.georep.spi.GuardedSelection;
import io.georep.spi.PeerSelection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Which peers may get new copies. All peers with a link are looked at once per heartbeat, when one of them comes or goes,
 * and when too few were found; otherwise only those that are chosen. So a turn costs the copies it makes, whatever the
 * number of nodes. Driver thread only.
 */
public final class Candidates {
    private final Peers peers;
    private final PeerSelection selection;
    private final long listLifeNanos;
    private final int channel;
    private List<PeerSelection.Candidate> listed = List.of();
    private long listedAtNanos;
    private boolean outdated = true;

    /**
     * Creates candidates out of these peers.
     *
     * @param listLifeNanos how long they are not all looked at again
     * @param channel of the protocol whose copies they get; peers that do not host it are no candidates
     */
    public Candidates(Peers peers, PeerSelection selection, long listLifeNanos, int channel) {
        this.peers = peers;
        this.selection = GuardedSelection.of(selection);
        this.listLifeNanos = listLifeNanos;
        this.channel = channel;
    }

    /** Called when a peer came, went, or was started again. */
    public void outdate() {
        outdated = true;
    }

    private List<PeerSelection.Candidate> listed(long now) {
        if (outdated || now - listedAtNanos >= listLifeNanos) {
            list(now);
        }
        return listed;
    }

    private void list(long now) {
        List<PeerSelection.Candidate> found = new ArrayList<>();
        for (Peer peer : peers.linked()) {
            if (takesCopies(peer, now)) {
                found.add(new PeerSelection.Candidate(peer.id(), peer.site(), peer.rttMinNanos()));
            }
        }
        listed = List.copyOf(found);
        listedAtNanos = now;
        outdated = false;
    }

    /** Returns how many peers may get copies, or {@code enough} when there are more. */
    public int count(int enough, long now) {
        int count = 0;
        for (PeerSelection.Candidate candidate : listed(now)) {
            if (count == enough) {
                return enough;
            }
            count += isSelectable(candidate.id(), now) ? 1 : 0;
        }
        if (count < enough) {
            list(now);
            count = Math.min(enough, listed.size());
        }
        return count;
    }

    /** Chooses peers but none of these; fewer when there are not as many. */
    public List<NodeId> choose(int count, Collection<NodeId> excluded, long now, RandomGenerator random) {
        return choose(count, null, excluded, now, random);
    }

    /**
     * Chooses peers but none of these; fewer when there are not as many.
     *
     * @param first what the first peer must be, none are chosen without such a peer; null: the policy alone decides
     */
    public List<NodeId> choose(
            int count,
            @Nullable Predicate<PeerSelection.Candidate> first,
            Collection<NodeId> excluded,
            long now,
            RandomGenerator random) {
        List<NodeId> chosen = tryToChoose(count, first, excluded, listed(now), random);
        if (chosen.size() < count || !areSelectable(chosen, now)) {
            list(now);
            return tryToChoose(count, first, excluded, listed, random);
        }
        return chosen;
    }

    private List<NodeId> tryToChoose(
            int count,
            @Nullable Predicate<PeerSelection.Candidate> first,
            Collection<NodeId> excluded,
            List<PeerSelection.Candidate> from,
            RandomGenerator random) {
        List<PeerSelection.Candidate> candidates = new ArrayList<>(from); // a policy may change its order
        if (!excluded.isEmpty()) {
            candidates.removeIf(candidate -> excluded.contains(candidate.id()));
        }
        List<PeerSelection.Candidate> ordered =
                selection.order(candidates, peers.self().site(), count, random);
        if (first != null) {
            ordered = startingWith(first, ordered, candidates, random);
        }
        List<NodeId> chosen = new ArrayList<>(count);
        for (PeerSelection.Candidate candidate : ordered.subList(0, Math.min(count, ordered.size()))) {
            chosen.add(candidate.id());
        }
        return chosen;
    }

    /** If none of the chosen may be the first, takes one in that the policy left out because it had enough others. */
    private List<PeerSelection.Candidate> startingWith(
            Predicate<PeerSelection.Candidate> first,
            List<PeerSelection.Candidate> ordered,
            List<PeerSelection.Candidate> candidates,
            RandomGenerator random) {
        List<PeerSelection.Candidate> fit = ordered.stream().filter(first).toList();
        if (fit.isEmpty()) {
            List<PeerSelection.Candidate> leftOut = new ArrayList<>(candidates);
            leftOut.removeIf(first.negate());
            fit = selection.order(leftOut, peers.self().site(), 1, random);
        }
        if (fit.isEmpty()) {
            return fit;
        }
        List<PeerSelection.Candidate> others = new ArrayList<>(ordered);
        others.remove(fit.get(0));
        others.add(0, fit.get(0));
        return others;
    }

    /** Returns whether all these peers may get copies now. */
    public boolean areSelectable(List<NodeId> ids, long now) {
        for (NodeId id : ids) {
            if (!isSelectable(id, now)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether this peer may get copies now. */
    public boolean isSelectable(NodeId id, long now) {
        Peer peer = peers.find(id);
        return peer != null && takesCopies(peer, now);
    }

    /** Returns whether this peer may get copies now, knows what to do with them, and the way to it has room. */
    public boolean takesCopies(Peer peer, long now) {
        return peer.selectable(now) && peer.version(channel) > 0 && peer.writable(channel);
    }
}
