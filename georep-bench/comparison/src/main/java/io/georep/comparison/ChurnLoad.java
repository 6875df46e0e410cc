package io.georep.comparison;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * What members are asked, and whether they answer rightly: each value is the number of its put, a key has one put at a time, and a get
 * must not return an older value than the last put that was done before. Thread-safe.
 */
final class ChurnLoad {
    private static final long WITHIN_SECONDS = 6;

    private final Random random;
    private final long[] done;
    private final Set<Integer> busy = new HashSet<>();
    private final List<Long> latencies = new ArrayList<>();
    private long puts;
    private long window;
    private long asked;
    private long nobody;
    private long failed;
    private long late;
    private long gets;
    private long older;

    ChurnLoad(int keys, Random random) {
        this.random = random;
        done = new long[keys];
    }

    /** What comes from now on counts. */
    synchronized void begin() {
        window++;
        asked = 0;
        nobody = 0;
        failed = 0;
        late = 0;
        gets = 0;
        older = 0;
        latencies.clear();
    }

    /** Asks for one thing; of nobody, if the place is empty. */
    synchronized void ask(@Nullable Churned member) {
        if (member == null || !member.ready.isDone()) {
            nobody++;
            return;
        }
        asked++;
        int key = random.nextInt(done.length);
        if (random.nextBoolean() && busy.add(key)) {
            put(member, key, ++puts);
        } else {
            get(member, key);
        }
    }

    private void put(Churned member, int key, long value) {
        long in = window;
        long at = System.nanoTime();
        within(member.put("key" + key, Long.toString(value))).whenComplete((result, error) -> {
            synchronized (this) {
                busy.remove(key);
                if (error == null) {
                    done[key] = Math.max(done[key], value);
                }
                count(in, at, error);
            }
        });
    }

    private void get(Churned member, int key) {
        long in = window;
        long at = System.nanoTime();
        long before = done[key];
        within(member.get("key" + key)).whenComplete((value, error) -> {
            synchronized (this) {
                count(in, at, error);
                if (in == window && error == null) {
                    gets++;
                    older += (value == null ? 0 : Long.parseLong(value)) < before ? 1 : 0;
                }
            }
        });
    }

    private static <T> CompletableFuture<T> within(CompletableFuture<T> answer) {
        return answer.orTimeout(WITHIN_SECONDS, TimeUnit.SECONDS);
    }

    private void count(long in, long at, @Nullable Throwable error) {
        if (in != window) {
            return;
        } else if (error == null) {
            latencies.add(System.nanoTime() - at);
        } else if (error instanceof TimeoutException || error.getCause() instanceof TimeoutException) {
            late++;
        } else {
            failed++;
        }
    }

    private double millis(double share) {
        return latencies.isEmpty() ? 0 : latencies.get((int) (share * (latencies.size() - 1))) / 1e6;
    }

    /** Cells of a table: asked, done, not in time, failed, places without a member; median, 99 %; gets and older ones. */
    synchronized String told() {
        Collections.sort(latencies);
        return String.format(
                Locale.ROOT,
                "%d | %d | %d | %d | %d | %.1f ms | %.1f ms | %d of %d",
                asked,
                latencies.size(),
                late,
                failed,
                nobody,
                millis(.5),
                millis(.99),
                older,
                gets);
    }
}
