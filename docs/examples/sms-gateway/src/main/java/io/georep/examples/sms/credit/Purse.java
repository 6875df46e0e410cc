package io.georep.examples.sms.credit;

/**
 * The credit of an account, in parts of messages. Nothing gets lost: what was topped up is free, reserved or spent.
 *
 * @param toppedUp all that was ever paid in
 * @param free what further messages may take; never below zero
 * @param reserved by messages that were taken and have not ended
 */
public record Purse(long toppedUp, long free, long reserved) {
    static final Purse EMPTY = new Purse(0, 0, 0);

    /** No purse is ever stored that is not as described: a transaction that tried would have no effect. */
    public Purse {
        if (free < 0 || reserved < 0 || toppedUp - free - reserved < 0) {
            throw new IllegalArgumentException(
                    "topped up " + toppedUp + ", free " + free + ", reserved " + reserved + " cannot be");
        }
    }

    /** What was spent on messages that an operator took. */
    public long spent() {
        return toppedUp - free - reserved;
    }

    Purse topUp(long parts) {
        return new Purse(Math.addExact(toppedUp, parts), Math.addExact(free, parts), reserved);
    }

    Purse reserve(long parts) {
        return new Purse(toppedUp, free - parts, reserved + parts);
    }

    Purse spend(long parts) {
        return new Purse(toppedUp, free, reserved - parts);
    }

    Purse giveBack(long parts) {
        return new Purse(toppedUp, free + parts, reserved - parts);
    }
}
