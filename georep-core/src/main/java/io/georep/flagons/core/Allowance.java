package io.georep.flagons.core;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How much this node does for each other one that compares with it or asks it for events. What a message costs is known only when it is
 * done: who has had too much is not heard until that has been made up for. One unit is an operation that was gone through, or 16 bytes
 * that were sent.
 */
final class Allowance {
    /** In a millisecond. A node that joins needs 20 in the mean. */
    private static final long UNITS = 100;

    /** So much may be owed. */
    static final long OWED_MAX = 400_000;

    private static final int PEERS_MAX = 256;

    private static final class Account {
        private long owed;
        private long at;

        Account(long now) {
            at = now;
        }

        void settle(long now) {
            owed = Math.max(0, owed - UNITS * (now - at));
            at = now;
        }
    }

    /** Who was heard of last comes last. */
    private final Map<String, Account> accounts = new LinkedHashMap<>();

    /** Returns whether there is something left for a node. */
    boolean has(String peer, long now) {
        Account its = accounts.get(peer);
        if (its == null) {
            return true;
        }
        its.settle(now);
        return its.owed < OWED_MAX;
    }

    void spent(String peer, long units, long now) {
        Account its = accounts.remove(peer);
        if (its == null) {
            its = new Account(now);
        }
        its.settle(now);
        its.owed += units;
        accounts.put(peer, its);
        Iterator<Account> eldest = accounts.values().iterator();
        while (accounts.size() > PEERS_MAX) {
            eldest.next();
            eldest.remove();
        }
    }
}
