package io.georep.protocol.membership;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.Bound;
import io.georep.codec.Fnv;
import io.georep.codec.MalformedException;
import io.georep.codec.TextBound;
import io.georep.model.NodeId;

/**
 * One line of a peer list as it travels and is stored. Times are durations from now, never clock readings (gap G11).
 *
 * <pre>
 * text id | text address | text site | varint incarnation | i64 generation | i64 nonce
 * | varint goodbye | varint returnMillis | varint drainVersion | u8 drained
 * | varint removedBelow | varint removedMillis | varint forgetMillis
 * </pre>
 *
 * @param id the node
 * @param address where it accepts links, empty when nobody knows
 * @param site its site
 * @param incarnation highest boot number heard of, 0 when never met
 * @param generation store generation of that boot
 * @param nonce boot nonce of that boot, 0 when never met
 * @param goodbye how many GOODBYEs it said in that boot
 * @param returnMillis time until others may give it up, grace included; 0 when over or not away
 * @param drainVersion counts the operator's drain commands for it
 * @param drained what the last of them said
 * @param removedBelow removed by the operator under every incarnation below this; 0 for never
 * @param removedMillis how long the removal is remembered
 * @param forgetMillis how long the name is remembered if nobody hears of it again
 */
record PeerEntry(
        NodeId id,
        String address,
        String site,
        long incarnation,
        long generation,
        long nonce,
        long goodbye,
        long returnMillis,
        long drainVersion,
        boolean drained,
        long removedBelow,
        long removedMillis,
        long forgetMillis) {

    private static final long MIX_1 = 0xff51afd7ed558ccdL;
    private static final long MIX_2 = 0xc4ceb9fe1a85ec53L;

    /** Fewest bytes an entry takes. */
    static final int BYTES_MIN = 2 + 1 + 1 + 1 + 8 + 8 + 1 + 1 + 1 + 1 + 1 + 1 + 1;

    void write(BinWriter out) {
        out.node(id).text(address).text(site);
        out.varint(incarnation).i64(generation).i64(nonce);
        out.varint(goodbye).varint(returnMillis);
        out.varint(drainVersion).u8(drained ? 1 : 0);
        out.varint(removedBelow).varint(removedMillis).varint(forgetMillis);
    }

    static PeerEntry read(BinReader in) {
        return new PeerEntry(
                in.node(),
                TextBound.ADDRESS.read(in),
                TextBound.SITE.read(in),
                MembershipBounds.INCARNATION_OR_NONE.read(in),
                in.i64(),
                in.i64(),
                MembershipBounds.GOODBYES.read(in),
                Bound.MILLIS.read(in),
                MembershipBounds.DRAIN_VERSION.read(in),
                mark(in),
                MembershipBounds.REMOVED_BELOW.read(in),
                Bound.MILLIS.read(in),
                Bound.MILLIS.read(in));
    }

    private static boolean mark(BinReader in) {
        int mark = in.u8();
        if (mark > 1) {
            throw new MalformedException("drain mark is " + mark + ", 0 or 1 expected");
        }
        return mark == 1;
    }

    /**
     * Returns a number that stands for everything in this entry except durations; sums of such numbers stand for lists.
     * The order of the fields and the mixing are part of the wire format, because digests travel.
     */
    long fingerprint() {
        BinWriter out = new BinWriter(96);
        out.node(id).varint(incarnation).i64(nonce).varint(goodbye);
        out.varint(drainVersion).u8(drained ? 1 : 0).varint(removedBelow);
        long hash = Fnv.hash(out.view());
        hash = (hash ^ (hash >>> 33)) * MIX_1;
        hash = (hash ^ (hash >>> 33)) * MIX_2;
        return hash ^ (hash >>> 33);
    }

    /** Returns this entry as a limited node may pass it on: without operators' orders (M33). */
    PeerEntry withoutDecisions() {
        return new PeerEntry(
                id, address, site, incarnation, generation, nonce, goodbye, returnMillis, 0, false, 0, 0, forgetMillis);
    }

    /** Returns the node with its name and its place alone, as if nobody had met it. */
    PeerEntry introduction() {
        return new PeerEntry(id, address, site, 0, 0, 0, 0, 0, 0, false, 0, 0, forgetMillis);
    }

    /** Returns whether it said GOODBYE for good: then its name is not remembered for as long as others. */
    boolean leftForGood(Timing timing) {
        return goodbye > 0 && returnMillis == 0 && Timing.nanosOf(forgetMillis) <= timing.tombstoneNanos();
    }

    /** Returns whether this is the entry of a node that was removed and did not start anew since. */
    boolean removed() {
        return incarnation < removedBelow;
    }
}
