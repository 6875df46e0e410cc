package io.georep.examples.sms.operator;

import io.georep.examples.sms.Slowness;
import io.georep.examples.sms.SmsProperties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jsmpp.session.SMPPSession;
import org.jspecify.annotations.Nullable;

/**
 * Lets submits through while there is a session, not more than the window at a time, and none while the operator wants a
 * pause. While the operator is slow or away, only a share of the callers waits for it. Thread-safe.
 */
final class OperatorGate {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Backoff throttle;
    private final Slowness slowness = new Slowness(false);
    private final int window;
    private final int share;
    private final long patienceNanos;
    private @Nullable SMPPSession session;
    private int inside;

    /** Callers that wait or are inside, those of earlier sessions included. */
    private int calls;

    /** Whether the caller inside wants to be alone. */
    private boolean alone;

    /** Callers that wait to be inside alone, which they may when nobody is inside. */
    private int waitingAlone;

    private int waitingOthers;

    /** So many others go before the next caller that wants to be alone: those that waited for the last one. */
    private int othersFirst;

    private long pausedUntil;
    private boolean paused;
    private boolean closed;

    OperatorGate(SmsProperties.Operator properties, int share) {
        this.share = share;
        throttle = new Backoff(properties.throttleMin(), properties.throttleMax());
        window = properties.window();
        patienceNanos = properties.patience().toNanos();
    }

    /**
     * Waits to be let in; each call is followed by one of {@link #leave}.
     *
     * @param isAlone whether nobody else may be inside meanwhile
     * @throws OperatorUnavailableException when patience is over, or enough others wait for an operator in trouble
     */
    SMPPSession enter(boolean isAlone) throws InterruptedException {
        long deadline = System.nanoTime() + patienceNanos;
        lock.lockInterruptibly();
        boolean entered = false;
        try {
            waiting(isAlone, 1);
            calls++;
            if (calls > share && isInTrouble()) {
                throw new OperatorUnavailableException(reason() + ", and others wait for it already", null);
            }
            while (true) {
                long now = System.nanoTime();
                endPause(now);
                SMPPSession current = session;
                if (closed || now - deadline >= 0) {
                    throw new OperatorUnavailableException(reason(), null);
                }
                if (current != null && !paused && hasRoom(isAlone)) {
                    inside++;
                    alone = isAlone;
                    othersFirst = Math.max(0, othersFirst - 1);
                    entered = true;
                    return current;
                }
                long wake = paused ? Math.min(pausedUntil - now, deadline - now) : deadline - now;
                changed.await(wake, TimeUnit.NANOSECONDS);
            }
        } finally {
            waiting(isAlone, -1);
            calls -= entered ? 0 : 1;
            changed.signalAll();
            lock.unlock();
        }
    }

    private boolean isInTrouble() {
        endPause(System.nanoTime());
        return session == null || paused || slowness.isSlow();
    }

    private void endPause(long now) {
        if (paused && now - pausedUntil >= 0) {
            paused = false;
        }
    }

    private void waiting(boolean isAlone, int more) {
        if (isAlone) {
            waitingAlone += more;
        } else {
            waitingOthers += more;
        }
    }

    private boolean hasRoom(boolean isAlone) {
        return isAlone
                ? inside == 0 && (othersFirst == 0 || waitingOthers == 0)
                : inside < window && !alone && (othersFirst > 0 || waitingAlone == 0);
    }

    private String reason() {
        if (closed) {
            return "this gateway is leaving";
        }
        if (session == null) {
            return "there is no session with the operator";
        }
        if (paused) {
            return "the operator throttles";
        }
        return slowness.isSlow()
                ? "the operator is slow"
                : "all " + window + " submits of the window wait for their answer";
    }

    /** A caller leaves after so long; it may have entered an earlier session. */
    void leave(SMPPSession entered, boolean wasAlone, long nanos) {
        lock.lock();
        try {
            calls--;
            // If the session ended, this was no quick answer.
            if (entered == session || Slowness.isSlow(nanos)) {
                slowness.answered(nanos);
            }
            if (entered == session) {
                inside--;
                if (wasAlone) {
                    alone = false;
                    othersFirst = waitingOthers;
                }
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The operator took a message: it does not throttle everything, and the next pause is a short one. */
    void accepted() {
        lock.lock();
        try {
            throttle.succeeded();
        } finally {
            lock.unlock();
        }
    }

    /** The operator wants a pause. More such answers during the pause do not make it longer. */
    void throttled() {
        lock.lock();
        try {
            if (!paused) {
                paused = true;
                pausedUntil = System.nanoTime() + throttle.failed();
            }
        } finally {
            lock.unlock();
        }
    }

    /** There is a session, or null: there is none any more. */
    void session(@Nullable SMPPSession current) {
        lock.lock();
        try {
            session = current;
            // Callers that still wait for an answer of the last session take no place in this one.
            inside = 0;
            alone = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** This session is over: nobody else is let into it. */
    void ended(SMPPSession over) {
        lock.lock();
        try {
            if (session == over) {
                session(null);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Lets nobody in from now on. */
    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean connected() {
        lock.lock();
        try {
            return session != null;
        } finally {
            lock.unlock();
        }
    }
}
