package io.georep.spring.boot.actuate;

import io.georep.outbox.Outbox;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * By how much the throughput of three nodes falls while pages of the console are open at one of them. Each node keeps 256 sends in
 * flight, and what handlers get is counted. Each round has a turn without pages and one with all of them; which comes first
 * alternates. With 0 pages it tells how much two turns differ by themselves.
 *
 * <pre>
 * java ... io.georep.spring.boot.actuate.ConsoleThroughputMain [pages] [rounds] [seconds of a turn] [queues]
 * </pre>
 */
final class ConsoleThroughputMain {
    private static final int PAGES = 10;
    private static final int ROUNDS = 10;
    private static final int SECONDS = 10;
    private static final int QUEUES = 10;
    private static final int NODES = 3;
    private static final int IN_FLIGHT = 256;
    private static final int SETTLE_SECONDS = 3;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final LongAdder forwarded = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final AtomicBoolean sending = new AtomicBoolean(true);
    private final ConsoleCostMain browsers = new ConsoleCostMain();

    private ConsoleThroughputMain() {}

    public static void main(String[] arguments) throws Exception {
        int[] given = Arrays.stream(arguments).mapToInt(Integer::parseInt).toArray();
        int pages = given.length > 0 ? given[0] : PAGES;
        int rounds = given.length > 1 ? given[1] : ROUNDS;
        int seconds = given.length > 2 ? given[2] : SECONDS;
        int queues = given.length > 3 ? given[3] : QUEUES;
        List<HttpNode> nodes = new ArrayList<>();
        try {
            for (int i = 0; i < NODES; i++) {
                List<String> properties = new ArrayList<>(List.of(
                        "georep.node-id=n" + i,
                        "georep.host=127.0.0.1",
                        "georep.port=0",
                        "georep.console.enabled=true"));
                if (i > 0) {
                    properties.add(
                            "georep.seeds=" + nodes.get(0).node().identity().address());
                }
                nodes.add(new HttpNode(List.of(), properties.toArray(String[]::new)));
            }
            new ConsoleThroughputMain().measure(nodes, pages, rounds, seconds, queues);
        } finally {
            nodes.forEach(HttpNode::close);
        }
        System.exit(0);
    }

    private void measure(List<HttpNode> nodes, int pages, int rounds, int seconds, int queues)
            throws InterruptedException {
        for (HttpNode node : nodes) {
            while (!node.node().ready(1)) {
                LockSupport.parkNanos(NANOS_PER_SECOND / 10);
            }
            load(node, queues);
        }
        int port = nodes.get(0).context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
        watched(port, pages, 2 * seconds); // much is compiled meanwhile
        double[] change = new double[rounds];
        double[] quiet = new double[rounds];
        for (int round = 0; round < rounds; round++) {
            double before = round % 2 == 0 ? watched(port, 0, seconds) : 0;
            double watched = watched(port, pages, seconds);
            quiet[round] = round % 2 == 0 ? before : watched(port, 0, seconds);
            change[round] = 100 * (watched / quiet[round] - 1);
            ConsoleCostMain.say(
                    "%d: %.0f/s without a page, %.0f/s with %d pages: %+.2f %%",
                    round, quiet[round], watched, pages, change[round]);
        }
        sending.set(false);
        ConsoleCostMain.say(
                "%d nodes, %d queues, %d pages, %d rounds of %d s each way: %.0f/s without a page; with all of them %+.2f %%"
                        + " (median; mean %+.2f %%, %+.2f to %+.2f %%); %d sends failed",
                NODES,
                queues,
                pages,
                rounds,
                seconds,
                ConsoleCostMain.median(quiet),
                ConsoleCostMain.median(change),
                Arrays.stream(change).average().orElseThrow(),
                Arrays.stream(change).min().orElseThrow(),
                Arrays.stream(change).max().orElseThrow(),
                failed.sum());
    }

    /** Keeps so many sends of a node in flight, over its queues in turn. */
    private void load(HttpNode node, int queues) {
        List<Outbox<String>> outboxes = new ArrayList<>();
        for (int i = 0; i < queues; i++) {
            Outbox<String> outbox = node.outboxes().outbox("queue-" + i, String.class);
            outbox.forward(delivery -> forwarded.increment());
            outboxes.add(outbox);
        }
        String payload = "x".repeat(100);
        Semaphore places = new Semaphore(IN_FLIGHT);
        Thread sender = new Thread(
                () -> {
                    for (int i = 0; sending.get(); i++) {
                        places.acquireUninterruptibly();
                        outboxes.get(i % queues).send(payload).whenComplete((id, error) -> {
                            if (error != null) {
                                failed.increment();
                            }
                            places.release();
                        });
                    }
                },
                "sender");
        sender.setDaemon(true);
        sender.start();
    }

    /** Returns how many entries per second handlers get while so many pages are open. */
    private double watched(int port, int pages, int seconds) throws InterruptedException {
        AtomicBoolean open = new AtomicBoolean(true);
        List<Socket> sockets = browsers.open(port, pages, open);
        pause(SETTLE_SECONDS); // each page gets all that is known first
        long begun = System.nanoTime();
        long before = forwarded.sum();
        pause(seconds);
        double perSecond = (double) (forwarded.sum() - before) * NANOS_PER_SECOND / (System.nanoTime() - begun);
        open.set(false);
        browsers.close(sockets);
        return perSecond;
    }

    private static void pause(int seconds) {
        long end = System.nanoTime() + seconds * NANOS_PER_SECOND;
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
