package io.georep.spring.boot;

import org.springframework.context.SmartLifecycle;

/** Starts and stops connectors of one kind in their phase. */
final class ConnectorLifecycle implements SmartLifecycle {
    private final int phase;
    private final Runnable start;
    private final Runnable stop;
    private volatile boolean running;

    ConnectorLifecycle(int phase, Runnable start, Runnable stop) {
        this.phase = phase;
        this.start = start;
        this.stop = stop;
    }

    @Override
    public void start() {
        start.run();
        running = true;
    }

    @Override
    public void stop() {
        if (running) {
            running = false;
            stop.run();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return phase;
    }
}
