package io.georep.consensus;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;

/**
 * Says that a member leaves its log, because it has heard that the group has gone on from it with another one.
 *
 * @param left the log that it has, see {@link Seats#log}
 * @param to the one that it goes over to
 * @param isForGood whether it knows more to be decided than the two have in common, so that it can go over to no other
 *     one
 */
public record Departure(long left, LogPlace to, boolean isForGood) {
    /** Appends the encoding. */
    public void write(BinWriter out) {
        to.write(out.i64(left).u8(isForGood ? 1 : 0));
    }

    /** Reads what {@link #write} has written. */
    public static Departure read(BinReader in) {
        long left = in.i64();
        boolean isForGood = in.u8() == 1;
        return new Departure(left, LogPlace.read(in), isForGood);
    }
}
