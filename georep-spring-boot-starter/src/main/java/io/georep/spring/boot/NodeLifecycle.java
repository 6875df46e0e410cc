package io.georep.spring.boot;

import io.georep.GeoRepNode;
import io.georep.NodeState;
import io.georep.outbox.OutboxActivity;
import io.georep.outbox.OutboxStatistics;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Stops the node after everything that may still send or forward: first sources of entries (default phase), then the
 * web server, the listeners, and at last the node. The node itself starts as a bean, so that other beans find it
 * running.
 */
final class NodeLifecycle implements SmartLifecycle {
    /** Before listeners, before the web server. */
    static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 8192;

    private static final Logger LOG = LoggerFactory.getLogger("io.georep.changes");
    private static final long POLL_NANOS = 20_000_000;

    private final GeoRepNode node;
    private final GeoRepProperties properties;
    private volatile boolean running;

    NodeLifecycle(GeoRepNode node, GeoRepProperties properties) {
        this.node = node;
        this.properties = properties;
    }

    @Override
    public void start() {
        if (node.state() != NodeState.RUNNING) {
            throw new IllegalStateException("GeoRep node " + node.identity().id() + " is " + node.state()
                    + ": a node starts once; refresh a new application context instead of restarting this one");
        }
        if (properties.shutdown().handOver()) {
            // The hand-over of the last shutdown must not keep the node from accepting in this boot.
            node.undrain(node.identity().id());
        }
        running = true;
    }

    @Override
    public void stop() {
        if (running) {
            running = false;
            Duration away = properties.shutdown().handOver() && handOver() ? Duration.ZERO : properties.expectedAway();
            node.close(away);
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    /** Other nodes depend on this one as long as the process lives. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    /** Drains this node. Returns whether nothing is left that only this node would forward. */
    private boolean handOver() {
        if (node.state() != NodeState.RUNNING) {
            return false;
        }
        long deadline =
                System.nanoTime() + properties.shutdown().handOverTimeout().toNanos();
        node.drain(node.identity().id());
        long left = pending();
        while (left > 0
                && System.nanoTime() - deadline < 0
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(POLL_NANOS);
            left = pending();
        }
        if (left > 0) {
            LOG.atWarn()
                    .addKeyValue("georep.event", "not-handed-over")
                    .addKeyValue("georep.node", node.identity().id())
                    .addKeyValue("georep.entries", left)
                    .log(
                            "Node {} could not hand over {} entries within {}: they wait for its return",
                            node.identity().id(),
                            left,
                            properties.shutdown().handOverTimeout());
        }
        return left == 0;
    }

    private long pending() {
        OutboxStatistics protocol = node.statistics().of(OutboxActivity.class).protocol();
        return protocol.receiving()
                + protocol.held().values().stream().mapToLong(Long::longValue).sum();
    }
}
