package io.georep.examples.sms.credit;

/**
 * What a message has reserved, until it ends.
 *
 * @param parts 0 for a message that must not reserve any more, because it was withdrawn
 */
record Reservation(long parts) {
    static final Reservation NONE = new Reservation(0);

    boolean isNone() {
        return parts == 0;
    }
}
