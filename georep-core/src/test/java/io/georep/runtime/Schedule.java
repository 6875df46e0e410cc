package io.georep.runtime;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Lets one of several real threads run at a time and chooses the next at every point where they meet. One seed gives one
 * order of those points. A thread belongs to it from its first point on; it starts when all that are expected have come.
 */
final class Schedule {
    private final SplittableRandom random;
    private final int expected;
    private final List<Thread> ready = new ArrayList<>();
    private final Set<Thread> asleep = new HashSet<>();
    private final Set<Thread> woken = new HashSet<>();
    private final StringBuilder trace = new StringBuilder();
    private int members;
    private Thread running;

    Schedule(long seed, int expected) {
        this.random = new SplittableRandom(seed);
        this.expected = expected;
    }

    /** The caller may be overtaken here. */
    synchronized void point() {
        Thread self = Thread.currentThread();
        if (running != self) {
            members++;
        }
        giveWay(self);
    }

    /** Blocks the caller until it is woken, or goes on when it was already. */
    synchronized void sleep() {
        Thread self = Thread.currentThread();
        if (woken.remove(self)) {
            return;
        }
        asleep.add(self);
        running = null;
        next();
        awaitTurn(self);
    }

    /** Lets a thread that sleeps, or is about to, go on. */
    synchronized void wake(Thread sleeper) {
        if (sleeper != null && asleep.remove(sleeper)) {
            insert(sleeper);
        } else if (sleeper != null) {
            woken.add(sleeper);
        }
    }

    /** The caller ends, or waits for something that is no point. */
    synchronized void leave() {
        running = null;
        next();
    }

    /** Names of the threads in the order they ran. */
    synchronized String trace() {
        return trace.toString();
    }

    private void giveWay(Thread self) {
        insert(self);
        if (running == self) {
            running = null;
        }
        next();
        awaitTurn(self);
    }

    /** By name, so that the order in which threads came says nothing. */
    private void insert(Thread thread) {
        ready.add(thread);
        ready.sort((a, b) -> a.getName().compareTo(b.getName()));
    }

    private void next() {
        if (running == null && members >= expected && !ready.isEmpty()) {
            running = ready.remove(random.nextInt(ready.size()));
            trace.append(running.getName()).append(' ');
            notifyAll();
        }
    }

    private void awaitTurn(Thread self) {
        boolean interrupted = false;
        while (running != self) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            self.interrupt();
        }
    }
}
