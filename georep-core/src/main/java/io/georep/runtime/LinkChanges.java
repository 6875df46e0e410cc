package io.georep.runtime;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.spi.Transport;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What a turn wants changed about links, in order; what the boot wants waits for the first turn, when the transport has started. */
final class LinkChanges {
    /** How long a process is refused of which something could not be read: so long it is told why when it dials. */
    private static final long REFUSED_MIN_NANOS = 1_000_000_000L;

    /**
     * The same when that happens again and again: it doubles each time, until there was peace for twice as long. A longer pause
     * would make a peer that is well otherwise be suspected, and at last be given up.
     */
    private static final long REFUSED_MAX_NANOS = 4 * REFUSED_MIN_NANOS;

    private final Transport transport;
    private final List<Runnable> changes = new ArrayList<>();
    private Map<NodeId, String> targetPeers = Map.of();
    private List<String> targetSeeds = List.of();
    private final Set<Long> refusedNonces = new HashSet<>();
    private long refusedNanos = REFUSED_MIN_NANOS;
    private long pardonedAtNanos;
    private long pardonAtNanos = Long.MAX_VALUE;

    LinkChanges(Transport transport) {
        this.transport = transport;
    }

    void targets(Map<NodeId, String> peers, Collection<String> seeds) {
        Map<NodeId, String> newPeers = new TreeMap<>(peers);
        List<String> newSeeds = List.copyOf(seeds);
        changes.add(() -> {
            if (!newPeers.equals(targetPeers) || !newSeeds.equals(targetSeeds)) {
                targetPeers = newPeers;
                targetSeeds = newSeeds;
                transport.targets(newPeers, newSeeds);
            }
        });
    }

    void renew(NodeId peer, String reason) {
        changes.add(() -> transport.renew(peer, reason));
    }

    void refuse(NodeIdentity peer, String reason) {
        changes.add(() -> transport.refuse(peer, reason));
    }

    /**
     * Refuses a process for a while: what could not be read may be one message of many.
     *
     * @return false when it is refused already, and this is what had arrived before
     */
    boolean refuseForNow(NodeIdentity peer, String reason, long nowNanos) {
        transport.refuse(peer, reason);
        if (nowNanos - pardonedAtNanos > 2 * REFUSED_MAX_NANOS) {
            refusedNanos = REFUSED_MIN_NANOS;
        }
        pardonAtNanos = Math.min(pardonAtNanos, nowNanos + refusedNanos);
        return refusedNonces.add(peer.nonce());
    }

    /** When {@link #apply} is needed again; {@link Long#MAX_VALUE} for not before there are changes. */
    long nextDeadlineNanos() {
        return pardonAtNanos;
    }

    void open(long link, int channel, String address) {
        changes.add(() -> transport.openLink(link, channel, address));
    }

    void close(long link) {
        changes.add(() -> transport.closeLink(link));
    }

    void send(long link, byte[] frame) {
        changes.add(() -> transport.sendOver(link, frame));
    }

    void apply(long nowNanos) {
        changes.forEach(Runnable::run);
        changes.clear();
        if (pardonAtNanos <= nowNanos) {
            pardonAtNanos = Long.MAX_VALUE;
            pardonedAtNanos = nowNanos;
            refusedNanos = Math.min(2 * refusedNanos, REFUSED_MAX_NANOS);
            refusedNonces.clear();
            transport.targets(targetPeers, targetSeeds); // who is named again is refused no longer
        }
    }
}
