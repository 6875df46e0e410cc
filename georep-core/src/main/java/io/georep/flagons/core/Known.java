package io.georep.flagons.core;

/**
 * A contact, and since when there is nothing newer of it.
 *
 * @param since when the node itself said so, in ticks of the node that keeps this
 */
record Known(Contact contact, int since) {
    /** Returns what others are told. */
    Aged aged(int tick) {
        return new Aged(contact, Math.max(0, tick - since));
    }
}
