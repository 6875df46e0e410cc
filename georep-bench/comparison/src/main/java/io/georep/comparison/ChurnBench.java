package io.georep.comparison;

import io.georep.bench.process.Program;
import io.georep.bench.process.Range;
import io.georep.bench.process.Workspace;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Members of a product on loopback, of which one after the other ends without notice and is replaced by an empty one, and at last
 * more than half of them end at once. Meanwhile members drawn at random are asked for values and given others.
 */
@Command(
        name = "georep-bench/comparison/run ChurnBench",
        sortOptions = false,
        showDefaultValues = true,
        description = "Who answers while members of a product end and are replaced.")
final class ChurnBench implements Callable<Integer> {
    private static final int START_MINUTES = 5;
    private static final int KEYS = 40;
    private static final long LEFT_OVER_SECONDS = 7;

    @Option(
            names = "--products",
            split = ",",
            defaultValue = "FLEET,HAZELCAST",
            description = "One after the other: FLEET, HAZELCAST (its replicated map), ETCD.")
    private List<String> products = List.of();

    @Range(min = 2, max = 100)
    @Option(names = "--members", defaultValue = "12", description = "Members of each.")
    private int members;

    @Range(min = 1, max = 3600)
    @Option(names = "--seconds", defaultValue = "60", description = "How long one after the other is replaced.")
    private int seconds;

    @Range(min = 1, max = 3600)
    @Option(names = "--replace-seconds", defaultValue = "6", description = "From one replacement to the next.")
    private int replaceSeconds;

    @Range(min = 1, max = 1000)
    @Option(names = "--rate", defaultValue = "20", description = "Operations a second, half of them gets.")
    private int rate;

    @Range(min = 0, max = 100)
    @Option(names = "--at-once", defaultValue = "7", description = "So many end at once at last.")
    private int atOnce;

    @Option(names = "--etcd", defaultValue = "/usr/bin/etcd", description = "Its server.")
    private Path etcd = Path.of("");

    @Option(names = "--addresses", defaultValue = "127.0.12.", description = "What addresses of members begin with.")
    private String addresses = "";

    @Option(
            names = "--jvm",
            split = ",",
            defaultValue = "-Xmx96m,-XX:+UseSerialGC,-XX:TieredStopAtLevel=1",
            description = "Options of their JVMs.")
    private List<String> jvmOptions = List.of();

    private final PrintStream out;
    private final Random random = new Random(1);
    private final List<@Nullable Churned> running = new ArrayList<>();
    private final ExecutorService operator = Executors.newSingleThreadExecutor();
    private long cpuOfEnded;
    private final AtomicInteger replaced = new AtomicInteger();

    ChurnBench(PrintStream out) {
        this.out = out;
    }

    /** Options: see {@code --help}. */
    public static void main(String[] args) {
        Program.run(new ChurnBench(System.out), args);
    }

    @Override
    public Integer call() throws Exception {
        try {
            for (String product : products) {
                try (Workspace workspace = Workspace.create("georep-churn-")) {
                    measure(product, workspace.directory());
                }
            }
        } finally {
            operator.shutdownNow();
        }
        return 0;
    }

    private void measure(String product, Path directory) throws Exception {
        Churned.Maker maker = product.equals("ETCD")
                ? new ChurnedEtcd.Servers(etcd, addresses, members, directory)
                : ChurnedJvm.maker(product, addresses, members, jvmOptions, directory);
        running.clear();
        try {
            for (int place = 0; place < members; place++) {
                running.add(maker.start(place));
            }
            for (Churned each : running) {
                each.ready.get(START_MINUTES, TimeUnit.MINUTES);
            }
            ChurnLoad load = new ChurnLoad(KEYS, random);
            window(product + ", nothing happens", load, 3L * replaceSeconds, null);
            window(product + ", one after the other is replaced", load, seconds, maker);
            for (int place = 0; place < atOnce; place++) {
                kill(place);
            }
            window(product + ", " + atOnce + " ended at once", load, 3L * replaceSeconds, null);
        } finally {
            for (int place = 0; place < running.size(); place++) {
                kill(place);
            }
        }
    }

    private void kill(int place) {
        Churned member = running.get(place);
        if (member != null) {
            cpuOfEnded += member.cpuNanos();
            member.kill();
            running.set(place, null);
        }
    }

    private long cpuNanos() {
        long sum = cpuOfEnded;
        for (Churned each : running) {
            sum += each == null ? 0 : each.cpuNanos();
        }
        return sum;
    }

    /** Asks for so long, and replaces members if there is a maker. */
    private void window(String what, ChurnLoad load, long lasting, Churned.@Nullable Maker maker) throws Exception {
        load.begin();
        replaced.set(0);
        long cpu = cpuNanos();
        long bytes = loopbackBytes();
        long begin = System.nanoTime();
        long replaceAt = begin + TimeUnit.SECONDS.toNanos(replaceSeconds) / 2;
        for (long i = 0; i < lasting * rate; i++) {
            long at = begin + i * 1_000_000_000L / rate;
            TimeUnit.NANOSECONDS.sleep(at - System.nanoTime());
            if (maker != null && System.nanoTime() >= replaceAt) {
                replaceAt += TimeUnit.SECONDS.toNanos(replaceSeconds);
                replace(maker, random.nextInt(members));
            }
            Churned asked;
            synchronized (running) {
                asked = running.get(random.nextInt(members));
            }
            load.ask(asked);
        }
        double took = (System.nanoTime() - begin) / 1e9;
        String costs = String.format(
                Locale.ROOT,
                "%.1f %% of a core and %.1f KB/s each",
                (cpuNanos() - cpu) / 1e7 / took / members,
                (loopbackBytes() - bytes) / 1e3 / took / members);
        TimeUnit.SECONDS.sleep(LEFT_OVER_SECONDS);
        out.println("| " + what + " | " + replaced + " | " + load.told() + " | " + costs + " |");
    }

    /** The place is empty until its new member can be asked; meanwhile nobody asks there. */
    private void replace(Churned.Maker maker, int place) {
        synchronized (running) {
            if (running.get(place) == null) {
                return;
            }
            kill(place);
        }
        operator.execute(() -> {
            try {
                maker.forget(place);
                Churned fresh = maker.start(place);
                synchronized (running) {
                    running.set(place, fresh);
                }
                replaced.incrementAndGet();
            } catch (Exception e) {
                out.println("n" + place + " was not replaced: " + e);
            }
        });
    }

    /** Of the whole machine, or of the namespace that this runs in. */
    private static long loopbackBytes() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/net/dev"))) {
            if (line.trim().startsWith("lo:")) {
                return Long.parseLong(line.trim().split("\\s+", -1)[9]);
            }
        }
        return 0;
    }
}
