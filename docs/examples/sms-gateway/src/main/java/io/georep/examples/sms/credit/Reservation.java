package io.georep.examples.sms.credit;

/**
 * What a message has reserved, stored under its entry id until the message ends.
 *
 * @param account whose credit it is
 * @param parts 0 for a message that must not reserve any more, because it was withdrawn
 */
record Reservation(String account, long parts) {
    static Reservation none(String account) {
        return new Reservation(account, 0);
    }

    boolean isNone() {
        return parts == 0;
    }
}
