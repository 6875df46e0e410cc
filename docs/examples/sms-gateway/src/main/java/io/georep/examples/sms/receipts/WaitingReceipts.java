package io.georep.examples.sms.receipts;

import io.georep.examples.sms.Places;
import io.georep.examples.sms.Slowness;
import io.georep.examples.sms.SmsProperties;
import io.georep.examples.sms.smpp.Delivered;
import io.georep.model.EntryId;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * Keeps clients that do not take their receipts from holding up the others. Each account has a bounded number of attempts at a
 * time, none in the pause after a failure, and a bounded number of receipts that wait; more if it takes them and they only wait
 * for a call. Slow accounts share half of the calls; beyond that each has one. Thread-safe.
 */
@Component
class WaitingReceipts {
    /** An attempt to give a receipt to its client. */
    @FunctionalInterface
    interface Attempt {
        /** Gives the receipt to its client. */
        Delivered run() throws InterruptedException;
    }

    private static final long PAUSE_MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long PAUSE_MAX_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** A receipt that still waits here is tried again long before this time; one that was not is gone from this gateway. */
    private static final long TRIED_AGAIN_NANOS = TimeUnit.MINUTES.toNanos(5);

    /** The search for receipts that are gone is not made more often: it holds the lock of all accounts. */
    private static final long LOOKED_AT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /**
     * So many receipts of all accounts may wait; the queue stops at twice as many. One account gets only a part of the places
     * left.
     */
    private static final int TOTAL = 500_000;

    /** Guarded by this. */
    private final Map<String, State> accounts = new HashMap<>();

    /** The account of each waiting receipt; for an unknown message, a name for its operator. Guarded by this. */
    private final Map<EntryId, String> accountOf = new HashMap<>();

    /**
     * Where each waiting receipt goes, if that is known, so that other gateways are not asked at each attempt. Guarded by this.
     */
    private final Map<EntryId, Route> routes = new HashMap<>();

    private final int max;
    private final int calls;

    /** Attempts under way. Guarded by this. */
    private int atWork;

    /** Attempts of slow accounts under way. Guarded by this. */
    private int slowAtWork;

    private static final class State {
        private final Map<EntryId, Long> waiting = new HashMap<>();
        private int atWork;
        private long pauseNanos = PAUSE_MIN_NANOS;
        private @Nullable Long lookedAt;
        private long pausedUntil;
        private boolean paused;

        /** An account counts as slow until it has answered quickly. */
        private final Slowness slowness = new Slowness(true);

        /**
         * Returns how many attempts it may have at a time: a quarter of the calls, or one after a failure. Otherwise a few
         * clients that do not answer would hold up all others.
         */
        int atATimeMax(int calls) {
            return takesThem() ? Math.max(1, calls / 4) : 1;
        }

        /** Returns whether the last attempt did not fail. */
        boolean takesThem() {
            return pauseNanos == PAUSE_MIN_NANOS;
        }
    }

    @Autowired
    WaitingReceipts(SmsProperties properties, MeterRegistry registry) {
        this(properties.receipts().waitingMax(), properties.receipts().concurrency());
        Gauge.builder("sms.receipts.waiting", this, WaitingReceipts::size)
                .description("Receipts that this gateway could not give to their clients yet")
                .register(registry);
    }

    /**
     * Nothing waits.
     *
     * @param max receipts of an account
     * @param calls attempts at a time, of all accounts
     */
    WaitingReceipts(int max, int calls) {
        this.max = max;
        this.calls = calls;
    }

    synchronized int size() {
        return accountOf.size();
    }

    synchronized boolean contains(EntryId id) {
        return accountOf.containsKey(id);
    }

    /** Returns where a waiting receipt goes; null if it does not wait or nobody knew. */
    synchronized @Nullable Route route(EntryId id) {
        return routes.get(id);
    }

    /**
     * Makes an attempt, unless the account has too many under way, or is paused.
     *
     * @throws ReceiptWaitsException if the attempt throws it, which says nothing about the account: the receipt then needs no
     *     {@link #room}
     */
    Delivered attempt(String account, EntryId id, Attempt attempt) throws InterruptedException {
        long begun = System.nanoTime();
        if (!begin(account, begun)) {
            return Delivered.LATER;
        }
        @Nullable Delivered outcome = Delivered.LATER;
        try {
            outcome = attempt.run();
            return outcome;
        } catch (ReceiptWaitsException e) {
            outcome = null;
            throw e;
        } finally {
            end(account, outcome, begun, System.nanoTime());
        }
    }

    /** Begins an attempt, if it may. */
    synchronized boolean begin(String account, long now) {
        State state = accounts.computeIfAbsent(account, ignored -> new State());
        if (state.paused && now - state.pausedUntil >= 0) {
            state.paused = false;
        }
        boolean slow = state.slowness.isSlow();
        boolean mayHaveHalf = !slow && state.takesThem() && 2 * atWork < calls;
        if (state.paused || (state.atWork >= state.atATimeMax(calls) && !mayHaveHalf)) {
            return false;
        }
        // The last quarter of the calls is for accounts that have none under way.
        if (state.atWork > 0 && 4 * atWork >= 3 * calls) {
            return false;
        }
        // Slow accounts that have one under way get no more than half of the calls together.
        if (slow && state.atWork > 0 && 2 * slowAtWork >= calls) {
            return false;
        }
        state.atWork++;
        atWork++;
        slowAtWork += slow ? 1 : 0;
        return true;
    }

    /**
     * Ends an attempt.
     *
     * @param outcome null when it says nothing about the account
     */
    synchronized void end(String account, @Nullable Delivered outcome, long begun, long now) {
        State state = accounts.computeIfAbsent(account, ignored -> new State());
        slowAtWork -= state.slowness.isSlow() ? state.atWork : 0;
        state.atWork--;
        atWork--;
        if (outcome != null) {
            judge(state, outcome, now - begun, now);
        }
        slowAtWork += state.slowness.isSlow() ? state.atWork : 0;
    }

    private static void judge(State state, Delivered outcome, long tookNanos, long now) {
        state.slowness.answered(tookNanos);
        if (outcome != Delivered.LATER) {
            state.pauseNanos = PAUSE_MIN_NANOS;
        } else if (!state.paused) {
            state.paused = true;
            state.pausedUntil = now + state.pauseNanos;
            state.pauseNanos = Math.min(PAUSE_MAX_NANOS, 2 * state.pauseNanos);
        }
    }

    /** Lets a receipt wait for its client; false when too many do already. */
    synchronized boolean room(Route route, EntryId id) {
        State state = accounts.get(route.account());
        int left = TOTAL - accountOf.size();
        long most = most(left);
        if (state != null && !state.paused && state.takesThem()) {
            // This account takes its receipts, but not as fast as they come.
            most = state.slowness.isSlow() ? Places.part(left) : Math.max(1, left / 2);
        }
        boolean room = room(route.account(), id, System.nanoTime(), most);
        if (room) {
            routes.put(id, route);
        }
        return room;
    }

    /** Lets a receipt wait that is of an account, or of an operator; false when too many do already. */
    boolean room(String account, EntryId id) {
        return room(account, id, System.nanoTime());
    }

    synchronized boolean room(String account, EntryId id, long now) {
        return room(account, id, now, most(TOTAL - accountOf.size()));
    }

    private long most(int left) {
        return Math.min(max, Places.part(left));
    }

    /** Called with the lock held. */
    private boolean room(String account, EntryId id, long now, long most) {
        if (!account.equals(accountOf.get(id))) {
            ended(id);
        }
        State state = accounts.computeIfAbsent(account, ignored -> new State());
        Map<EntryId, Long> waiting = state.waiting;
        if (!waiting.containsKey(id) && waiting.size() >= most) {
            if (state.lookedAt == null || now - state.lookedAt >= LOOKED_AT_NANOS) {
                state.lookedAt = now;
                // Another gateway may have adopted some and ended them.
                waiting.entrySet().removeIf(each -> now - each.getValue() > TRIED_AGAIN_NANOS && forget(each.getKey()));
            }
            if (waiting.size() >= most) {
                return false;
            }
        }
        waiting.put(id, now);
        accountOf.put(id, account);
        return true;
    }

    private boolean forget(EntryId id) {
        accountOf.remove(id);
        routes.remove(id);
        return true;
    }

    /** A receipt waits no longer; returns whether it had waited and it was known where it goes. */
    synchronized boolean ended(EntryId id) {
        String account = accountOf.remove(id);
        State state = account == null ? null : accounts.get(account);
        if (state != null) {
            state.waiting.remove(id);
        }
        return routes.remove(id) != null;
    }
}
