package io.georep.funnel.core.ways;

import io.georep.funnel.FunnelSettings;
import io.georep.funnel.Topology;
import io.georep.model.NodeId;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the {@link Plan} of each write that this node is the head of, by the estimate of {@link Ways} from what is measured: delays
 * to the members, and the load of the uplink. Choices are remembered for about a second, so a choice costs a look into an array.
 */
public final class Planner {
    /** The capacity of uplinks if none is set: 1 Gbit/s. */
    static final long ASSUMED_BYTES_PER_SECOND = 125_000_000;

    private static final long SECOND = 1_000_000_000;
    private static final int LOADS = 8;
    private static final int SIZES = Integer.SIZE;

    private final long bytesPerSecond;
    private final @Nullable Plan[] chosen = new Plan[SIZES * (LOADS + 1)];
    private List<NodeId> members = List.of();
    private List<String> sites = List.of();
    private long[] oneWay = {};
    private int self;
    private final Peers peers;
    private @Nullable Ways ways;
    private long measuredAt;
    private double recentBytes;
    private long sentAt;

    public Planner(FunnelSettings settings, Peers peers) {
        this.peers = peers;
        bytesPerSecond =
                settings.uplinkBytesPerSecond() > 0 ? settings.uplinkBytesPerSecond() : ASSUMED_BYTES_PER_SECOND;
    }

    /**
     * Begins a view.
     *
     * @param rank of this node
     */
    public void view(List<NodeId> inOrder, int rank) {
        members = inOrder;
        self = rank;
        ways = null;
    }

    /** Returns the plan of a write; sizes are rounded up to a power of two and loads down to an eighth. */
    public Plan plan(int bytes, Topology hint, long now) {
        Ways these = ways;
        if (these == null || now - measuredAt >= SECOND) {
            these = measure(these, now);
        }
        return switch (hint) {
            case STAR -> these.star;
            case CHAIN -> these.chain;
            case SITES -> these.bySite;
            case AUTO -> {
                int size = SIZES - Integer.numberOfLeadingZeros(Math.max(1, bytes) - 1);
                int loaded = (int) (LOADS * load(now));
                int at = size * (LOADS + 1) + loaded;
                Plan known = chosen[at];
                if (known == null) {
                    known = these.fastest(1L << size, (double) loaded / LOADS);
                    chosen[at] = known;
                }
                yield known;
            }
        };
    }

    private Ways measure(@Nullable Ways before, long now) {
        measuredAt = now;
        long[] delays = new long[members.size()];
        List<String> names = new ArrayList<>();
        for (int rank = 0; rank < delays.length; rank++) {
            Peer peer = peers.find(members.get(rank));
            boolean own = rank == self;
            names.add(own ? peers.self().site() : peer == null ? "" : peer.site());
            delays[rank] =
                    own || peer == null || peer.rttSmoothedNanos() == Long.MAX_VALUE ? 0 : peer.rttSmoothedNanos() / 2;
        }
        if (before != null && names.equals(sites) && alike(delays, oneWay)) {
            return before;
        }
        sites = names;
        oneWay = delays;
        Ways these = new Ways(self, names, bytesPerSecond, Ways.seenFrom(self, names, delays));
        ways = these;
        Arrays.fill(chosen, null);
        return these;
    }

    /** Returns whether nothing has changed by more than an eighth: then plans stay the same objects. */
    private static boolean alike(long[] a, long[] b) {
        for (int i = 0; i < a.length; i++) {
            if (Math.abs(a[i] - b[i]) > Math.max(a[i], b[i]) / 8) {
                return false;
            }
        }
        return true;
    }

    /** This node has uploaded so many bytes of data. */
    public void sent(long bytes, long now) {
        recentBytes = decayed(now) + bytes;
        sentAt = now;
    }

    /** Returns the load of this node's uplink over about the last second, from 0 to 1. */
    double load(long now) {
        return Math.min(1, decayed(now) / bytesPerSecond);
    }

    /** Returns bytes sent, of which those of a second ago count by 1/e: at a steady rate, those of one second. */
    private double decayed(long now) {
        return recentBytes <= 0 ? 0 : recentBytes * Math.exp(-(double) (now - sentAt) / SECOND);
    }
}
