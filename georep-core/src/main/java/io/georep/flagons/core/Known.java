package io.georep.flagons.core;

/**
 * A contact, and since when there is nothing newer of it.
 *
 * @param since when the node itself said so, in ticks of the node that keeps this
 */
record Known(Contact contact, long since) {
    /** Returns what others are told. */
    Aged aged(long tick) {
        return new Aged(contact, (int) Math.min(Aged.AGE_MAX, Math.max(0, tick - since)));
    }
}
