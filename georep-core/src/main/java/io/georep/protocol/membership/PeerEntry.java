package io.georep.protocol.membership;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.NodeId;

/**
 * One line of a peer list as it travels and is stored. Times are durations from now, never clock readings (gap G11).
 *
 * <pre>
 * text id | text address | text site | varint incarnation | i64 generation | i64 nonce
 * | varint goodbye | varint returnMillis | varint drainVersion | u8 drained
 * | varint removedBelow | varint removedMillis
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
        long removedMillis) {

    /** Fewest bytes an entry takes. */
    static final int BYTES_MIN = 2 + 1 + 1 + 1 + 8 + 8 + 1 + 1 + 1 + 1 + 1 + 1;

    /** Longest address or site in characters. */
    static final int TEXT_MAX = 512;

    void write(BinWriter out) {
        out.node(id).text(address).text(site);
        out.varint(incarnation).i64(generation).i64(nonce);
        out.varint(goodbye).varint(returnMillis);
        out.varint(drainVersion).u8(drained ? 1 : 0);
        out.varint(removedBelow).varint(removedMillis);
    }

    static PeerEntry read(BinReader in) {
        return new PeerEntry(
                in.node(),
                shortText(in, "address"),
                shortText(in, "site"),
                number(in, "incarnation"),
                in.i64(),
                in.i64(),
                number(in, "goodbye number"),
                number(in, "return time"),
                number(in, "drain version"),
                in.u8() == 1,
                number(in, "removed incarnation"),
                number(in, "removal time"));
    }

    private static String shortText(BinReader in, String what) {
        String text = in.text();
        if (text.length() > TEXT_MAX) {
            throw new MalformedException(what + " has " + text.length() + " characters, at most " + TEXT_MAX);
        }
        return text;
    }

    /** Numbers stay far below overflow, since incarnations and versions are counted up from what peers send. */
    private static long number(BinReader in, String what) {
        return in.varint(Long.MAX_VALUE >>> 8, what);
    }

    /** Whether this is the entry of a node that was removed and did not start anew since. */
    boolean removed() {
        return incarnation < removedBelow;
    }
}
