package io.georep;

import io.georep.logging.SafeLog;
import io.georep.model.ClosedException;
import io.georep.model.Measures;
import io.georep.model.ProtocolStatistics;
import io.georep.protocol.local.LocalSide;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what all protocols of a node did and hold. A protocol with stuck callbacks does not hold back the figures of the
 * others. Thread-safe.
 */
final class StatisticsReader {
    private static final Logger LOG = LoggerFactory.getLogger(StatisticsReader.class);

    /** How long a side may take to tell its statistics; less than a caller waits for the node's. */
    Duration within = Duration.ofSeconds(8);

    private final String nodeName;
    private final Executor answering;

    /**
     * Creates it for a node.
     *
     * @param answering where late answers are given: not on the thread that counts down timeouts for the whole process
     */
    StatisticsReader(String nodeName, Executor answering) {
        this.nodeName = nodeName;
        this.answering = answering;
    }

    /**
     * Returns the statistics of each protocol, by its name; for a protocol that does not tell them, only a summary that
     * says so. The stage fails if the node is stopped.
     */
    CompletionStage<Map<String, ProtocolStatistics>> read(List<SideThread> sides) {
        CompletableFuture<Map<String, ProtocolStatistics>> all = CompletableFuture.completedFuture(new TreeMap<>());
        for (SideThread side : sides) {
            all = all.thenCombine(read(side), (read, statistics) -> {
                read.put(side.name, statistics);
                return read;
            });
        }
        return all;
    }

    /** While one reading of this side is overdue, another is not waited for. */
    private CompletionStage<ProtocolStatistics> read(SideThread side) {
        if (!side.overdue.isDone()) {
            return CompletableFuture.completedFuture(new Untold(side.name));
        }
        CompletableFuture<ProtocolStatistics> reading = CompletableFuture.<LocalSide<?, ?, ?>>completedFuture(
                        side.side())
                .thenCompose(LocalSide::readStatistics) // also what it throws is the stage's
                .thenApply(statistics -> statistics);
        return reading.copy()
                .orTimeout(within.toMillis(), TimeUnit.MILLISECONDS)
                .exceptionallyCompose(error -> {
                    if (error instanceof TimeoutException) {
                        side.overdue = reading;
                        return CompletableFuture.supplyAsync(() -> untold(side, error), answering);
                    }
                    return error.getCause() instanceof ClosedException
                            ? CompletableFuture.failedFuture(error.getCause())
                            : CompletableFuture.completedFuture(untold(side, error));
                });
    }

    private ProtocolStatistics untold(SideThread side, Throwable error) {
        SafeLog.log(
                LOG,
                "Node {}: protocol '{}' cannot tell its statistics; if one of its callbacks is stuck, a thread dump shows"
                        + " where",
                nodeName,
                side.name,
                error);
        return new Untold(side.name);
    }

    /** Stands for the statistics of a protocol that does not tell them. */
    private record Untold(String protocol) implements ProtocolStatistics {
        @Override
        public void measure(Measures to) {}

        @Override
        public Map<String, Object> summary() {
            return Map.of(protocol, "does not tell its statistics: one of its callbacks may be stuck");
        }
    }
}
