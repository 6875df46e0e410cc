package io.georep.simulation;

import java.util.ArrayDeque;

/** The threads that read and write for a process. While they stand still, what arrives and what is sent waits for them, in order. */
final class IoThreads {
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private boolean isStill;
    private boolean loses;

    void run(Runnable step) {
        if (isStill) {
            waiting.add(step);
        } else {
            step.run();
        }
    }

    /** Whether nobody is told that they have come round, as when that task fails. */
    void loseAnswers(boolean lose) {
        loses = lose;
    }

    boolean losesAnswers() {
        return loses;
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
