package io.georep.examples.sms.measure;

import com.sun.management.OperatingSystemMXBean;
import io.georep.examples.sms.Address;
import io.georep.examples.sms.Sms;
import io.georep.model.EntryId;
import io.georep.outbox.Outbox;
import io.georep.outbox.OutboxActivity;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

/**
 * Entries per CPU second through {@code @OutboxListener}: entries are stored first, then the listener starts, and the CPU
 * time of the whole process, both nodes, is taken until all are forwarded and deleted everywhere.
 *
 * <p>Arguments: concurrency (1), {@code platform} or {@code virtual} threads (platform), entries per round (50000), rounds
 * (5), then properties like {@code georep.durability=memory}.
 */
public final class ListenerThroughputMain {
    private static final int SENDS_OPEN = 2_000;

    private ListenerThroughputMain() {}

    /** Measures and prints. */
    public static void main(String[] arguments) throws IOException {
        String concurrency = arguments.length > 0 ? arguments[0] : "1";
        String threads = arguments.length > 1 ? arguments[1] : "platform";
        int entries = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 50_000;
        int rounds = arguments.length > 3 ? Integer.parseInt(arguments[3]) : 5;
        List<String> properties = new ArrayList<>(List.of(
                "georep.listener.concurrency=" + concurrency,
                "georep.listener.window=" + Math.max(1000, Integer.parseInt(concurrency)),
                "spring.threads.virtual.enabled=" + threads.equals("virtual")));
        properties.addAll(List.of(Arguments.from(4, arguments)));
        try (MeasuredNodes nodes = MeasuredNodes.start(true, properties.toArray(new String[0]))) {
            List<Double> perCpuSecond = new ArrayList<>();
            // The first round warms up.
            for (int round = 0; round <= rounds; round++) {
                double result = round(nodes, entries);
                System.out.printf(Locale.ROOT, "round %d: %,.0f entries per CPU second%n", round, result);
                if (round > 0) {
                    perCpuSecond.add(result);
                }
            }
            Collections.sort(perCpuSecond);
            System.out.printf(
                    Locale.ROOT,
                    "@OutboxListener, concurrency %s, %s threads: median %,.0f entries per CPU second%n",
                    concurrency,
                    threads,
                    perCpuSecond.get(perCpuSecond.size() / 2));
        }
        System.exit(0);
    }

    private static double round(MeasuredNodes nodes, int entries) {
        fill(nodes.outboxes().outbox(MeasuredNodes.QUEUE, Sms.class), entries);
        MeasuredNodes.Forwarder forwarder = nodes.bean(MeasuredNodes.Forwarder.class);
        forwarder.count.set(0);
        long begin = cpuNanos();
        nodes.listener().start();
        MeasuredNodes.await("all entries to be forwarded", () -> forwarder.count.get() >= entries && empty(nodes));
        long cpu = cpuNanos() - begin;
        nodes.listener().stop(Duration.ofSeconds(10));
        return entries / (cpu / 1e9);
    }

    private static void fill(Outbox<Sms> outbox, int entries) {
        Sms sms = Sms.text(Address.parse("GeoRep"), Address.parse("+31201234567"), "x".repeat(100), false);
        Queue<CompletableFuture<EntryId>> open = new ArrayDeque<>();
        for (int i = 0; i < entries; i++) {
            if (open.size() == SENDS_OPEN) {
                open.remove().join();
            }
            open.add(outbox.send(sms).toCompletableFuture());
        }
        open.forEach(CompletableFuture::join);
    }

    private static boolean empty(MeasuredNodes nodes) {
        return nodes.node(0).statistics().of(OutboxActivity.class).protocol().held().values().stream()
                        .mapToLong(Long::longValue)
                        .sum()
                == 0;
    }

    private static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }
}
