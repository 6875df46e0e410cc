package io.georep.connect;

import io.georep.GeoRepNode;
import io.georep.NodeBuilder;
import io.georep.model.NodeId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores that tasks of this connector left on this worker, because it was killed, or because they had to end before other nodes
 * had all entries. A task that runs here opens them one after the other, hands what they hold to other nodes, says GOODBYE for
 * good in their names, and deletes them. It leaves alone stores that another task has open, and those that a task waits for.
 */
final class Leftovers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Leftovers.class);
    private static final Duration AGAIN_AFTER = Duration.ofSeconds(30);
    private static final Duration ONE_TAKES_AT_MOST = Duration.ofHours(1);

    /** Opens queues on a node, so that it hands their entries to those that forward them. */
    @FunctionalInterface
    interface Opening {
        void open(GeoRepNode node);
    }

    private final NodeSettings settings;
    private final Opening opening;
    private final CountDownLatch closed = new CountDownLatch(1);

    private Leftovers(NodeSettings settings, Opening opening) {
        this.settings = settings;
        this.opening = opening;
    }

    static Leftovers begin(NodeSettings settings, Opening opening) {
        Leftovers leftovers = new Leftovers(settings, opening);
        Thread thread =
                new Thread(leftovers::run, "georep-leftovers-" + settings.task().nodeId());
        thread.setDaemon(true);
        thread.start();
        return leftovers;
    }

    private void run() {
        try {
            Duration pause = settings.leftoversAfter();
            while (!closed.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
                for (Path store : stores()) {
                    if (closed.getCount() > 0) {
                        empty(store);
                    }
                }
                pause = AGAIN_AFTER.compareTo(settings.leftoversAfter()) < 0 ? AGAIN_AFTER : settings.leftoversAfter();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private List<Path> stores() {
        String own = settings.task().nodeId();
        try (Stream<Path> all = Files.list(settings.stores())) {
            return all.filter(store -> !store.endsWith(own)).sorted().toList();
        } catch (IOException | UncheckedIOException e) {
            LOG.warn("Cannot look for stores that are left over in {}", settings.stores(), e);
            return List.of();
        }
    }

    private void empty(Path store) {
        NodeId id = NodeBuilder.storedNodeId(store);
        StoreClaim claim = id == null ? null : StoreClaim.tryTake(store);
        if (id == null || claim == null) {
            return;
        }
        try {
            GeoRepNode node = TaskNode.startOnFreePort(settings, id.value());
            LOG.info("Store {} was left over: its node hands what it holds to others", store);
            try {
                opening.open(node);
            } catch (Throwable e) {
                node.close(Duration.ZERO);
                throw e;
            }
            boolean empty = TaskNode.leave(node, ONE_TAKES_AT_MOST, () -> closed.getCount() == 0 || claim.isWanted());
            if (empty) {
                TaskNode.delete(store);
                LOG.info("Store {} was empty and is deleted", store);
            }
        } catch (RuntimeException e) {
            LOG.warn("Store {} is left over and cannot be emptied now", store, e);
        } finally {
            claim.release();
        }
    }

    /** Stops emptying. Does not wait: a store that is being emptied is closed soon after. */
    @Override
    public void close() {
        closed.countDown();
    }
}
