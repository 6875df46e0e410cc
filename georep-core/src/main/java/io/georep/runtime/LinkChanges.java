package io.georep.runtime;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.spi.Transport;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a turn wants to change about links, in order. What the boot wants waits for the first turn, after the
 * transport has started.
 */
final class LinkChanges {
    /**
     * How long a process is refused if a message of it could not be read. During this time it is told why when it
     * dials.
     */
    private static final long REFUSED_MIN_NANOS = 1_000_000_000L;

    /**
     * The longest of these times. If the fault occurs again and again, the time doubles each time, until there was
     * none for twice as long. After a longer pause, a peer that is well otherwise would be suspected, and at last
     * given up.
     */
    private static final long REFUSED_MAX_NANOS = 4 * REFUSED_MIN_NANOS;

    private final Transport transport;
    private final List<Runnable> changes = new ArrayList<>();
    private Map<NodeId, String> targetPeers = Map.of();
    private List<String> targetSeeds = List.of();

    /** A process. The nonce alone does not tell which: a process may claim the nonce of another one. */
    private record Sender(NodeId id, long nonce) {}

    /** The processes of which a message could not be read lately. */
    private final Map<Sender, Pause> pauses = new LinkedHashMap<>();

    private long pausesChangeAtNanos = Long.MAX_VALUE;
    private boolean wantsRound;

    /** For how long a process is refused whose messages could not be read. */
    private static final class Pause {
        final NodeIdentity process;
        boolean isRefused;
        long nanos;

        /** When the refusal ends. Once it has ended: when this pause is forgotten. */
        long untilNanos;

        Pause(NodeIdentity process) {
            this.process = process;
        }
    }

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
     * Refuses a process for a while, because what could not be read may be one message of many.
     *
     * @return false if it is refused already, and this had arrived before
     */
    boolean refuseForNow(NodeIdentity peer, String reason, long nowNanos) {
        transport.refuse(peer, reason);
        Pause pause = pauses.computeIfAbsent(new Sender(peer.id(), peer.nonce()), none -> new Pause(peer));
        if (pause.isRefused) {
            return false;
        }
        pause.isRefused = true;
        pause.nanos = Math.min(Math.max(2 * pause.nanos, REFUSED_MIN_NANOS), REFUSED_MAX_NANOS);
        pause.untilNanos = nowNanos + pause.nanos;
        pausesChangeAtNanos = Math.min(pausesChangeAtNanos, pause.untilNanos);
        return true;
    }

    /** Returns when {@link #apply} is needed again; {@link Long#MAX_VALUE} if not before there are changes. */
    long nextDeadlineNanos() {
        return pausesChangeAtNanos;
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

    void goRound() {
        wantsRound = true;
    }

    /** Asks the threads of the transport to come round, if that is wanted. Returns whether they need not be awaited. */
    boolean goesRoundAtOnce(long stamp) {
        boolean isAsked = wantsRound;
        wantsRound = false;
        return isAsked && !transport.goRound(stamp);
    }

    void apply(long nowNanos) {
        changes.forEach(Runnable::run);
        changes.clear();
        if (pausesChangeAtNanos <= nowNanos) {
            pauses.values().removeIf(pause -> ended(pause, nowNanos));
            pausesChangeAtNanos = pauses.values().stream()
                    .mapToLong(pause -> pause.untilNanos)
                    .min()
                    .orElse(Long.MAX_VALUE);
        }
    }

    /**
     * Continues a pause that is due. Returns whether there was no fault for so long that the pause can be forgotten.
     */
    private boolean ended(Pause pause, long nowNanos) {
        if (pause.untilNanos > nowNanos) {
            return false;
        }
        if (!pause.isRefused) {
            return true;
        }
        pause.isRefused = false;
        pause.untilNanos = nowNanos + 2 * REFUSED_MAX_NANOS;
        transport.pardon(pause.process);
        return false;
    }
}
