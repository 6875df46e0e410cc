package io.georep.examples.sms.credit;

/**
 * What a transaction is asked to do.
 *
 * @param account whose credit it is about
 * @param entry id of the message; empty for a top-up
 * @param parts how many; 0 where that is known already
 * @param toppedUp what the account must have topped up before; for a top-up
 */
record Order(String account, String entry, long parts, long toppedUp) {
    /** The key of the reservation: next to that of its account, for keys that are neighbours move to the same site. */
    String key() {
        return account + " " + entry;
    }

    static Order about(String account, String entry) {
        return new Order(account, entry, 0, 0);
    }
}
