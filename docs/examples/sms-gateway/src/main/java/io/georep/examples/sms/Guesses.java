package io.georep.examples.sms;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Slows down whoever guesses passwords. Wrong ones are counted by address and by account; after a few, only so many a second
 * are checked. Guesses of others do not slow a client whose password was right lately from the same address, nor the first try
 * at an account in a while: many clients may share the address of one proxy. Thread-safe.
 */
public final class Guesses {
    /** So many wrong passwords of one address are checked at once. */
    static final int AT_ONCE = 20;

    /** So many addresses may try one account at full rate: one address alone must not lock out new clients. */
    static final int ADDRESSES = 10;

    private static final long EVERY_NANOS = 1_000_000_000L;
    private static final long FIRST_EVERY_NANOS = 60 * EVERY_NANOS;
    private static final int REMEMBERED_MAX = 10_000;

    private final LongSupplier nanos;

    /** When the wrong passwords so far would be over if they came at the allowed rate: by address, by account, and by both. */
    private final Map<Object, Long> due = bounded();

    private final Map<Object, Boolean> good = bounded();

    private record Pair(Object address, String account) {}

    /**
     * Nobody has tried anything.
     *
     * @param nanos the clock, as {@link System#nanoTime}
     */
    public Guesses(LongSupplier nanos) {
        this.nanos = nanos;
    }

    private static <V> Map<Object, V> bounded() {
        return new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Object, V> eldest) {
                return size() > REMEMBERED_MAX;
            }
        };
    }

    /** Returns whether a password of this account from this address is checked now. */
    public synchronized boolean allows(InetAddress address, String account) {
        Pair pair = new Pair(Strangers.network(address), account);
        return good.containsKey(pair)
                ? hasRoom(pair, EVERY_NANOS)
                : (isFirst(pair) || hasRoom(pair.address(), EVERY_NANOS)) && hasRoom(account, EVERY_NANOS / ADDRESSES);
    }

    private boolean isFirst(Pair pair) {
        Long at = due.get(pair);
        return at == null || at - nanos.getAsLong() <= 0;
    }

    private boolean hasRoom(Object key, long everyNanos) {
        Long at = due.get(key);
        return at == null || at - nanos.getAsLong() <= AT_ONCE * EVERY_NANOS - everyNanos;
    }

    /** Counts a password that was checked. */
    public synchronized void tried(InetAddress address, String account, boolean right) {
        Pair pair = new Pair(Strangers.network(address), account);
        if (right) {
            if (good.put(pair, true) == null) {
                due.remove(pair);
            }
        } else if (good.containsKey(pair)) {
            count(pair, EVERY_NANOS);
        } else {
            due.put(pair, nanos.getAsLong() + FIRST_EVERY_NANOS);
            if (hasRoom(pair.address(), EVERY_NANOS)) {
                count(pair.address(), EVERY_NANOS);
            }
            count(account, EVERY_NANOS / ADDRESSES);
        }
    }

    private void count(Object key, long everyNanos) {
        long now = nanos.getAsLong();
        Long at = due.get(key);
        due.put(key, (at == null || at - now < 0 ? now : at) + everyNanos);
    }
}
