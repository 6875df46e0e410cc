package io.georep.simulation;

import java.util.ArrayDeque;

/** The threads that read and write for a process. While they stand still, what arrives and what is sent waits for them, in order. */
final class IoThreads {
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private boolean isStill;

    void run(Runnable step) {
        if (isStill) {
            waiting.add(step);
        } else {
            step.run();
        }
    }

    boolean isStill() {
        return isStill;
    }

    void standStill() {
        isStill = true;
    }

    void goOn() {
        isStill = false;
        for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
            next.run();
        }
    }
}
