package io.georep.bench.cluster;

import io.georep.bench.report.Latencies;
import io.georep.geopaxos.OrderedMap;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Clients at several sites, each of which waits for one operation before it makes the next. */
final class WanLoad {
    /** Which keys a client uses. */
    enum Workload {
        /** Those of its site, all alike. */
        LOCALITY,
        /** All alike. */
        UNIFORM,
        /** All, a few of them most: Zipf's law with exponent 1. */
        SKEWED
    }

    /** What was measured; medians of each site in milliseconds. */
    record Figures(Histogram all, List<Double> writes, List<Double> reads, long failed) {}

    private final Workload workload;
    private final List<OrderedMap<String, byte[]>> maps;
    private final int keys;
    private final byte[] value;
    private final int readPercent;
    private final List<Histogram> writes = new ArrayList<>();
    private final List<Histogram> reads = new ArrayList<>();
    private final AtomicLong failed = new AtomicLong();
    private volatile boolean ended;

    WanLoad(Workload workload, List<OrderedMap<String, byte[]>> maps, int keys, int valueBytes, int readPercent) {
        this.workload = workload;
        this.maps = List.copyOf(maps);
        this.keys = keys;
        this.value = new byte[valueBytes];
        this.readPercent = readPercent;
        maps.forEach(map -> {
            writes.add(new ConcurrentHistogram(3));
            reads.add(new ConcurrentHistogram(3));
        });
    }

    /** Writes all keys. */
    void fill() throws Exception {
        OrderedMapBench.each(keys, number -> maps.get(0).put(key(number), value));
    }

    /** Keys of a site are neighbours. */
    private String key(int number) {
        return "site " + number % maps.size() + " key " + number / maps.size();
    }

    void begin(int clients) {
        for (int client = 0; client < clients; client++) {
            next(client % maps.size(), new SplittableRandom(client));
        }
    }

    void reset() {
        writes.forEach(Histogram::reset);
        reads.forEach(Histogram::reset);
        failed.set(0);
    }

    void end() {
        ended = true;
    }

    private void next(int site, SplittableRandom random) {
        String key = key(draw(site, random));
        boolean isRead = random.nextInt(100) < readPercent;
        long began = System.nanoTime();
        CompletionStage<?> asked =
                isRead ? maps.get(site).get(key) : maps.get(site).put(key, value);
        asked.whenComplete((done, error) -> {
            if (error == null) {
                (isRead ? reads : writes).get(site).recordValue(System.nanoTime() - began);
            } else {
                failed.incrementAndGet();
            }
            if (!ended) {
                next(site, random);
            }
        });
    }

    private int draw(int site, SplittableRandom random) {
        return switch (workload) {
            case UNIFORM -> random.nextInt(keys);
            case SKEWED -> (int) Math.pow(keys, random.nextDouble()) - 1;
            case LOCALITY -> {
                int own = random.nextInt(Math.max(1, keys / maps.size()));
                yield own * maps.size() + site;
            }
        };
    }

    Figures figures() {
        Histogram all = Latencies.histogram();
        writes.forEach(each -> all.add(each.copy()));
        reads.forEach(each -> all.add(each.copy()));
        return new Figures(all, medians(writes), medians(reads), failed.get());
    }

    private static List<Double> medians(List<Histogram> histograms) {
        return histograms.stream()
                .map(each -> Latencies.millis(each.copy(), 50))
                .toList();
    }
}
