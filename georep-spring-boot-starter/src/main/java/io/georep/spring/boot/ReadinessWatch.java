package io.georep.spring.boot;

import io.georep.GeoRepNode;
import io.georep.NodeState;
import io.georep.model.NodeId;
import io.georep.spring.Outboxes;
import io.georep.spring.boot.actuate.ReadinessTarget;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Logs when the node becomes ready to make its copies, and when it no longer is. It looks once per second, because
 * readiness depends on links, round trips, drains and open queues, and no event tells of all of them.
 */
final class ReadinessWatch implements SmartLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger("io.georep.changes");
    private static final long EVERY_MILLIS = 1000;

    private final GeoRepNode node;
    private final Outboxes outboxes;
    private final ReadinessTarget target;
    private @Nullable ScheduledExecutorService timer;
    private @Nullable Boolean ready;

    ReadinessWatch(GeoRepNode node, Outboxes outboxes, ReadinessTarget target) {
        this.node = node;
        this.outboxes = outboxes;
        this.target = target;
    }

    /** The future is not needed: {@link #look} never throws. */
    @Override
    @SuppressWarnings("FutureReturnValueIgnored")
    public synchronized void start() {
        if (timer == null) {
            ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor(task -> {
                Thread thread = new Thread(task, "georep-readiness");
                thread.setDaemon(true);
                return thread;
            });
            executor.scheduleWithFixedDelay(this::look, 0, EVERY_MILLIS, TimeUnit.MILLISECONDS);
            timer = executor;
        }
    }

    @Override
    public synchronized void stop() {
        if (timer != null) {
            timer.shutdownNow();
            timer = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return timer != null;
    }

    private void look() {
        try {
            int f = target.copies(outboxes);
            boolean now = node.ready(f);
            if (node.state() == NodeState.RUNNING) { // The node itself reports that it is leaving, stopped or failed.
                tell(now, f);
            }
        } catch (Throwable e) {
            LOG.debug("Readiness is not known now; the next look is in {} ms", EVERY_MILLIS, e);
        }
    }

    /** Logs a change of readiness. A node normally starts without peers, so that is no warning. */
    private void tell(boolean now, int f) {
        Boolean before = ready;
        if (before != null && before == now) {
            return;
        }
        ready = now;
        NodeId id = node.identity().id();
        if (now) {
            LOG.atInfo()
                    .addKeyValue("georep.event", "ready")
                    .addKeyValue("georep.node", id)
                    .addKeyValue("georep.f", f)
                    .log("Node {} is ready: it can make f = {} copies of new entries", id, f);
        } else {
            (before == null ? LOG.atInfo() : LOG.atWarn())
                    .addKeyValue("georep.event", "not-ready")
                    .addKeyValue("georep.node", id)
                    .addKeyValue("georep.f", f)
                    .log(
                            "Node {} is not ready: it cannot make f = {} copies of new entries, so sends are refused until"
                                    + " more nodes are in reach",
                            id,
                            f);
        }
    }
}
