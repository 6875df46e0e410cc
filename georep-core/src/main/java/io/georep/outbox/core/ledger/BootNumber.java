package io.georep.outbox.core.ledger;

import io.georep.codec.Bound;
import io.georep.model.StoreException;
import io.georep.protocol.Turn;

/**
 * The number of a boot in the ids of its entries: above that of every earlier boot the store knows, made of the wall
 * clock in milliseconds and some random bits, so that no id is used twice when the store is lost or replaced by an older
 * image, nor when the clock is wrong as well.
 */
final class BootNumber {
    /** Random bits of a number. With the milliseconds above them, numbers have 56 bits until the year 2039. */
    private static final int RANDOM_BITS = 15;

    private BootNumber() {}

    /** Returns the number after this one, which is 0 in a new store. */
    static long after(long previous, Turn turn) {
        long millis = Math.max(turn.wallMillis(), (previous >> RANDOM_BITS) + 1);
        if (millis > Bound.BOOT.max() >> RANDOM_BITS) {
            throw new StoreException(
                    StoreException.Kind.IO,
                    "the wall clock, or the last boot in the data directory, is " + millis + " ms after 1970, which no"
                            + " entry's id has room for: set the clock, then start with an empty data directory");
        }
        return (millis << RANDOM_BITS) + turn.random().nextInt(1 << RANDOM_BITS);
    }
}
