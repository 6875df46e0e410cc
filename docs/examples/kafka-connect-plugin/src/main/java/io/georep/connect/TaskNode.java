package io.georep.connect;

import io.georep.GeoRepNode;
import io.georep.NodeState;
import io.georep.model.ClosedException;
import io.georep.model.ConfigurationException;
import io.georep.model.StoreException;
import io.georep.model.TransportException;
import io.georep.outbox.OutboxActivity;
import io.georep.outbox.OutboxStatistics;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.kafka.connect.errors.ConnectException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node of a task. It ends with the task, for good: what it held goes to other nodes, and then its store is deleted. For the
 * thread of the task.
 */
final class TaskNode {
    private static final Logger LOG = LoggerFactory.getLogger(TaskNode.class);
    private static final Duration LOCK_WAIT = Duration.ofSeconds(60);
    private static final long LOOK_MILLIS = 50;

    /**
     * Ports that tasks of this worker are about to take. Without this, two tasks could find the same port free, and one would
     * fail.
     */
    private static final Set<Integer> TRIED = ConcurrentHashMap.newKeySet();

    private static final long TELLING_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long WATCH_NANOS = Duration.ofSeconds(2).toNanos();

    private final NodeSettings settings;
    private final GeoRepNode node;
    private final StoreClaim store;
    private final Leftovers leftovers;
    private long watchedAt = System.nanoTime();

    private TaskNode(NodeSettings settings, GeoRepNode node, StoreClaim store, Leftovers leftovers) {
        this.settings = settings;
        this.node = node;
        this.store = store;
        this.leftovers = leftovers;
    }

    /**
     * Starts the node of a task. Waits up to a minute while another one, such as the task's predecessor, has the store.
     *
     * @param opening opens queues on the nodes of leftover stores
     * @throws ConnectException if it cannot be started, with what to do
     */
    static TaskNode start(NodeSettings settings, Leftovers.Opening opening) {
        String id = settings.task().nodeId();
        StoreClaim store = StoreClaim.take(settings.stores().resolve(id), LOCK_WAIT);
        try {
            GeoRepNode node = startUnlocked(settings, id);
            try {
                node.undrain(node.identity().id()); // it was drained when the task left this worker
                return new TaskNode(settings, node, store, Leftovers.begin(settings, opening));
            } catch (Throwable e) {
                node.close(Duration.ZERO);
                throw e;
            }
        } catch (Throwable e) {
            store.release();
            throw e;
        }
    }

    /** Another process may have the store for a while, such as a worker that is being restarted. */
    private static GeoRepNode startUnlocked(NodeSettings settings, String id) {
        long deadline = System.nanoTime() + LOCK_WAIT.toNanos();
        while (true) {
            try {
                return startOnFreePort(settings, id);
            } catch (StoreException e) {
                if (e.kind() != StoreException.Kind.LOCKED || System.nanoTime() >= deadline) {
                    throw new ConnectException("node " + id + " of this task has no store: " + e.getMessage(), e);
                }
                pause(LOOK_MILLIS);
            } catch (ConfigurationException | TransportException e) {
                throw new ConnectException("node " + id + " of this task cannot start: " + e.getMessage(), e);
            }
        }
    }

    /** Starts a node of this worker on the first of its ports that nobody uses. */
    static GeoRepNode startOnFreePort(NodeSettings settings, String id) {
        AddressRange range = settings.listen();
        Exception last = new BindException("all in use");
        for (int port = range.first(); port <= range.last(); port++) {
            if (port != 0 && !TRIED.add(port)) {
                continue; // another task of this worker is about to take it
            }
            try {
                if (isFree(range.host(), port)) {
                    return settings.builder(id, port).start();
                }
            } catch (TransportException e) {
                // Another process was faster, or the address is not one of this machine; then every port fails.
                LOG.info("Port {} is not for node {}: {}", port, id, e.getMessage());
                last = e;
            } finally {
                TRIED.remove(port);
            }
        }
        String problem = "no port of " + NodeSettings.LISTEN + " (" + range
                + ") is free: each task on a worker needs one, and one more is for stores that are left over";
        throw new TransportException(problem, last);
    }

    /** Checks the port before the node does: the node would open its store in vain and log an error. */
    private static boolean isFree(String host, int port) {
        try (ServerSocket tried = new ServerSocket()) {
            tried.setReuseAddress(true); // as the node does: old connections do not matter
            tried.bind(new InetSocketAddress(host, port));
            return true;
        } catch (BindException e) {
            return false;
        } catch (IOException e) {
            return true; // the node says what is wrong
        }
    }

    GeoRepNode node() {
        return node;
    }

    /**
     * To be called now and then while the task works.
     *
     * @throws ConnectException if the node has failed
     */
    void watch() {
        if (node.state() == NodeState.FAILED) {
            throw new ConnectException(
                    "node " + node.identity().id() + " has failed; restart the task when this is mended: "
                            + node.failure(),
                    node.failure());
        }
        long now = System.nanoTime();
        if (now - watchedAt >= WATCH_NANOS) {
            watchedAt = now;
            var unused = node.readReady(0).thenAccept(ready -> {
                if (!ready) {
                    // Other nodes still say that it is drained: it was, before its store was deleted.
                    node.undrain(node.identity().id());
                }
            });
        }
    }

    /** Leaves for good. */
    void leave() {
        leftovers.close();
        try {
            if (leave(node, settings.stopTimeout(), () -> false)) {
                delete(store.store());
            } else {
                LOG.info(
                        "Node {}: not all that it held is at other nodes yet; the rest stays in {}",
                        node.identity().id(),
                        store.store());
            }
        } finally {
            store.release();
        }
    }

    /** Ends as a crash would, for tests. */
    void kill() {
        leftovers.close();
        node.halt();
        store.release();
    }

    /** Returns whether the node held nothing when it left. */
    static boolean leave(GeoRepNode node, Duration atMost, BooleanSupplier hurry) {
        boolean empty = false;
        try {
            node.drain(node.identity().id());
            long deadline = System.nanoTime() + atMost.toNanos();
            long told = Long.MAX_VALUE; // when to stop waiting for nodes that are away
            while (System.nanoTime() < Math.min(deadline, told) && !hurry.getAsBoolean()) {
                // In this order: a node that was empty before it was drained may have got a copy since.
                boolean drained = !node.ready(0);
                OutboxStatistics now =
                        node.statistics().of(OutboxActivity.class).protocol();
                empty = drained && isEmpty(now);
                if (empty && now.deletesUntold() == 0) {
                    break;
                }
                told = empty ? Math.min(told, System.nanoTime() + TELLING_NANOS) : Long.MAX_VALUE;
                pause(LOOK_MILLIS);
            }
        } catch (ClosedException | IllegalStateException e) {
            LOG.warn("Node {} cannot be emptied", node.identity().id(), e);
        } finally {
            node.close(Duration.ZERO);
        }
        return empty && node.state() == NodeState.CLOSED;
    }

    private static boolean isEmpty(OutboxStatistics now) {
        return now.held().values().stream().allMatch(count -> count == 0)
                && now.receiving() == 0
                && now.copies() == 0
                && now.heldBack() == 0;
    }

    static void delete(Path store) {
        try (Stream<Path> files = Files.walk(store)) {
            List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : deepestFirst) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            LOG.warn("The empty store {} could not be deleted", store, e);
        }
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
