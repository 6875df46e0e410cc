package io.georep.bench.demo;

import io.georep.bench.history.Event;
import io.georep.bench.history.History;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The end of a run: while the consumer takes nothing, every entry that waits must have its f + 1 copies. They are counted, and
 * then f nodes are destroyed for good, so that an entry with a copy too few is lost and noticed. Used by the demo's main
 * thread.
 */
final class Proof {
    private static final Duration COUNT_WITHIN = Duration.ofSeconds(15);

    private final DemoOptions options;
    private final Testbed testbed;
    private final DemoCluster cluster;
    private final Producers producers;
    private final Operator operator;
    private final AttemptAccount account;
    private final History history;
    private final Terminal terminal;
    private final List<Integer> destroyed = new ArrayList<>();

    Proof(
            DemoOptions options,
            Testbed testbed,
            DemoCluster cluster,
            Producers producers,
            Operator operator,
            AttemptAccount account,
            History history,
            Terminal terminal) {
        this.options = options;
        this.testbed = testbed;
        this.cluster = cluster;
        this.producers = producers;
        this.operator = operator;
        this.account = account;
        this.history = history;
        this.terminal = terminal;
    }

    /** Counts copies and destroys nodes; when this returns, the consumer takes what is left. */
    void begin() throws IOException {
        operator.hold(true);
        producers.useReserve();
        cluster.await("the last messages to be acknowledged", producers::finished);
        testbed.settle();
        long waiting = account.summary().lost();
        cluster.holdsWithin(COUNT_WITHIN, () -> cluster.has(waiting, options.f()));
        count(Event.Phase.QUIET);
        List<Integer> nodes = IntStream.range(0, options.nodes()).boxed().collect(Collectors.toList());
        Collections.shuffle(nodes, new Random(options.accidents().seed()));
        destroyed.addAll(nodes.subList(0, options.f()));
        account.during(options.accidents().count() + 1, "PROOF");
        destroyed.forEach(testbed::kill);
        for (int node : destroyed) {
            testbed.empty(node);
        }
        terminal.event(
                "proof: %,d entries wait; destroyed for good: %s",
                waiting, destroyed.stream().map(DemoOptions::nodeName).collect(Collectors.joining(", ")));
        operator.hold(false);
    }

    /** Starts on empty directories what was destroyed. */
    void end() throws IOException {
        for (int node : destroyed) {
            testbed.restart(node);
        }
        testbed.awaitComplete();
    }

    /** Notes what all nodes have. */
    void count(Event.Phase phase) {
        history.add(new Event.Counted(history.now(), phase, cluster.holdings()));
    }
}
