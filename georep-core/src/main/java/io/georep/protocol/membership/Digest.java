package io.georep.protocol.membership;

import io.georep.model.NodeId;
import java.util.Comparator;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What two nodes compare in place of their lists: one number per line, and sums of these. A change costs one line.
 * Lines fall into buckets with sums of their own, and comparing these shows where two lists differ.
 *
 * <p>If there are more names than a node keeps, those with the lowest ranks count. A rank depends on the name alone, so
 * all nodes choose the same names and their lists come to rest. Other names are kept only while their nodes are there.
 */
final class Digest {
    /** Buckets; part of the wire format. */
    static final int BUCKETS = 64;

    private static final int BUCKET_MIX = 0x45d9f3b;
    private static final long RANK_PRIME = 0x100000001b3L;
    private static final long RANK_MIX = 0xff51afd7ed558ccdL;

    private static final Comparator<PeerRecord> BY_RANK =
            Comparator.<PeerRecord>comparingLong(record -> record.rank).thenComparing(record -> record.id);

    private final int linesMax;
    private final long[] sums = new long[BUCKETS];
    private final TreeSet<PeerRecord> counted = new TreeSet<>(BY_RANK);
    private final TreeSet<PeerRecord> surplus = new TreeSet<>(BY_RANK);

    /** This node's own line: it has a rank like all others, and its fingerprint is known to {@link OwnNode}. */
    private final PeerRecord self;

    Digest(PeerRecord self, int linesMax) {
        this.self = self;
        this.linesMax = linesMax;
        counted.add(self);
    }

    /** Adds a line; returns the one that does not count any more because of it, which may be the same. */
    @Nullable
    PeerRecord add(PeerRecord record) {
        record.fingerprint = record.entry(0).fingerprint();
        count(record);
        if (counted.size() <= linesMax) {
            return null;
        }
        PeerRecord last = counted.last();
        discount(last);
        last.surplus = true;
        surplus.add(last);
        return last == self ? null : last;
    }

    void remove(PeerRecord record) {
        if (surplus.remove(record)) {
            return;
        }
        discount(record);
        if (!surplus.isEmpty()) {
            count(surplus.pollFirst());
        }
    }

    void changed(PeerRecord record) {
        if (record.surplus) {
            record.fingerprint = record.entry(0).fingerprint();
        } else {
            sums[bucketOf(record.id)] -= record.fingerprint;
            record.fingerprint = record.entry(0).fingerprint();
            sums[bucketOf(record.id)] += record.fingerprint;
        }
    }

    private void count(PeerRecord record) {
        record.surplus = false;
        counted.add(record);
        sums[bucketOf(record.id)] += record.fingerprint;
    }

    private void discount(PeerRecord record) {
        counted.remove(record);
        sums[bucketOf(record.id)] -= record.fingerprint;
    }

    /** Returns how many lines there are, those included that do not count. */
    int lines() {
        return counted.size() + surplus.size();
    }

    /** Returns whether a new name would be among those that count. */
    boolean wouldCount(NodeId id) {
        return counted.size() < linesMax || rank(id) < counted.last().rank;
    }

    /** Returns the sum of all lines with this node's own. */
    long sum(OwnNode own) {
        long sum = fingerprint(own);
        for (long bucket : sums) {
            sum += bucket;
        }
        return sum;
    }

    /** Returns the same, bucket by bucket. */
    long[] sums(OwnNode own) {
        long[] all = sums.clone();
        all[bucketOf(self.id)] += fingerprint(own);
        return all;
    }

    private long fingerprint(OwnNode own) {
        return self.surplus ? 0 : own.entry(0).fingerprint();
    }

    static int bucketOf(NodeId id) {
        int hash = 0;
        for (int i = 0; i < id.value().length(); i++) {
            hash = hash * 31 + id.value().charAt(i);
        }
        return (((hash ^ (hash >>> 16)) * BUCKET_MIX) >>> 8) % BUCKETS;
    }

    static long rank(NodeId id) {
        long hash = RANK_MIX;
        for (int i = 0; i < id.value().length(); i++) {
            hash = (hash ^ id.value().charAt(i)) * RANK_PRIME;
        }
        hash = (hash ^ (hash >>> 33)) * RANK_MIX;
        return hash ^ (hash >>> 33);
    }
}
