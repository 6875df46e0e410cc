package io.georep.spring.boot.actuate;

import io.georep.outbox.Outbox;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * What open pages of the console cost a node: processor time of the process, without that of the threads that play browsers and
 * senders, in turns without a page and with all of them. Each queue gets entries all the time, so each update names all queues.
 *
 * <pre>
 * java ... io.georep.spring.boot.actuate.ConsoleCostMain [pages] [queues] [rounds] [seconds of a round]
 * </pre>
 */
final class ConsoleCostMain {
    private static final int PAGES = 10;
    private static final int QUEUES = 100;
    private static final int ROUNDS = 7;
    private static final int SECONDS = 20;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long SENDS_EVERY_NANOS = NANOS_PER_SECOND / 4;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final List<Thread> clients = new ArrayList<>();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong ofClientsThatEnded = new AtomicLong();

    ConsoleCostMain() {}

    public static void main(String[] arguments) throws Exception {
        int[] given = Arrays.stream(arguments).mapToInt(Integer::parseInt).toArray();
        int pages = given.length > 0 ? given[0] : PAGES;
        int queues = given.length > 1 ? given[1] : QUEUES;
        int rounds = given.length > 2 ? given[2] : ROUNDS;
        int seconds = given.length > 3 ? given[3] : SECONDS;
        try (HttpNode node = new HttpNode(List.of(), "georep.node-id=n1", "georep.console.enabled=true")) {
            new ConsoleCostMain().measure(node, pages, queues, rounds, seconds);
        }
        System.exit(0);
    }

    private void measure(HttpNode node, int pages, int queues, int rounds, int seconds) throws InterruptedException {
        AtomicBoolean sending = new AtomicBoolean(true);
        List<Outbox<String>> outboxes = new ArrayList<>();
        for (int i = 0; i < queues; i++) {
            Outbox<String> outbox = node.outboxes().outbox("queue-" + i, String.class);
            outbox.forward(delivery -> {});
            outboxes.add(outbox);
        }
        client("sender", () -> {
            while (sending.get()) {
                outboxes.forEach(outbox -> outbox.send("x"));
                LockSupport.parkNanos(SENDS_EVERY_NANOS);
            }
        });
        int port = node.context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
        double[] without = new double[rounds];
        double[] with = new double[rounds];
        long received = 0;
        for (int round = -1; round < rounds; round++) {
            double quiet = load(seconds);
            AtomicBoolean open = new AtomicBoolean(true);
            List<Socket> sockets = open(port, pages, open);
            load(3); // each page gets all that is known first
            long before = bytes.get();
            double watched = load(seconds);
            received = bytes.get() - before;
            open.set(false);
            close(sockets);
            if (round >= 0) { // in the one before it, much is compiled
                without[round] = quiet;
                with[round] = watched;
            }
            say("%d: %.2f %% of a core without a page, %.2f %% with %d pages", round, quiet, watched, pages);
        }
        sending.set(false);
        double[] each = new double[rounds];
        Arrays.setAll(each, i -> (with[i] - without[i]) / pages);
        say(
                "%d queues, %d pages, %d rounds of %d s: %.2f %% of a core without a page, %.2f %% with all of them;"
                        + " each page %.3f %% (%.3f to %.3f), %.1f KiB/s",
                queues,
                pages,
                rounds,
                seconds,
                median(without),
                median(with),
                median(each),
                Arrays.stream(each).min().orElseThrow(),
                Arrays.stream(each).max().orElseThrow(),
                received / 1024.0 / pages / seconds);
    }

    static void say(String text, Object... values) {
        System.out.println(String.format(Locale.ROOT, text, values));
    }

    static double median(double[] of) {
        double[] sorted = of.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    /** Returns what the process takes of a core for so long, in percent, without its clients. */
    private double load(int seconds) {
        long begun = System.nanoTime();
        long before = processorNanos();
        while (System.nanoTime() - begun < seconds * NANOS_PER_SECOND) {
            LockSupport.parkNanos(NANOS_PER_SECOND / 10);
        }
        return 100.0 * (processorNanos() - before) / (System.nanoTime() - begun);
    }

    private synchronized long processorNanos() {
        long ofClients = ofClientsThatEnded.get();
        for (Thread client : clients) {
            ofClients += Math.max(0, THREADS.getThreadCpuTime(client.getId()));
        }
        com.sun.management.OperatingSystemMXBean system =
                (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return system.getProcessCpuTime() - ofClients;
    }

    private synchronized void client(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        clients.add(thread);
        thread.start();
    }

    /** Opens pages at the node with this port; they are read until {@code open} is false. */
    List<Socket> open(int port, int pages, AtomicBoolean open) {
        List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < pages; i++) {
            try {
                Socket socket = new Socket("127.0.0.1", port);
                socket.getOutputStream()
                        .write("GET /georep/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                .getBytes(StandardCharsets.US_ASCII));
                sockets.add(socket);
                client("page-" + i, () -> read(socket, open));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return sockets;
    }

    private void read(Socket socket, AtomicBoolean open) {
        byte[] buffer = new byte[1 << 16];
        try (InputStream in = socket.getInputStream()) {
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                bytes.addAndGet(count);
            }
            if (open.get()) {
                throw new IllegalStateException("a page was closed");
            }
        } catch (IOException e) {
            if (open.get()) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** What the threads of pages have taken is known only while they live. */
    void close(List<Socket> sockets) throws InterruptedException {
        List<Thread> pages;
        synchronized (this) {
            pages = clients.stream()
                    .filter(each -> each.getName().startsWith("page-"))
                    .toList();
            pages.forEach(each -> ofClientsThatEnded.addAndGet(Math.max(0, THREADS.getThreadCpuTime(each.getId()))));
            clients.removeAll(pages);
        }
        for (Socket socket : sockets) {
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        for (Thread page : pages) {
            page.join();
        }
    }
}
