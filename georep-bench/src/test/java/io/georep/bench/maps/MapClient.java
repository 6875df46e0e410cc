package io.georep.bench.maps;

import io.georep.funnel.MapUnavailableException;
import io.georep.funnel.ReplicatedMap;
import io.georep.model.ClosedException;
import io.georep.model.RejectedException;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One client: reads and writes a few keys as fast as the answers come, with a pause between, and notes each call. All processes
 * change to other keys at the same times, so that the history of each key stays short enough to be judged.
 */
final class MapClient implements Runnable {
    private static final int KEYS = 6;
    private static final long KEYS_LIVE_NANOS = TimeUnit.MILLISECONDS.toNanos(2500);
    private static final long ANSWER_SECONDS = 30;

    private final ReplicatedMap<String, String> map;
    private final HistoryFile history;
    private final String name;
    private final Random random;
    private final BooleanSupplier stopped;
    private long written;
    private @Nullable String last;

    MapClient(ReplicatedMap<String, String> map, HistoryFile history, String name, long seed, BooleanSupplier stopped) {
        this.map = map;
        this.history = history;
        this.name = name;
        this.random = new Random(seed);
        this.stopped = stopped;
    }

    @Override
    public void run() {
        try {
            while (!stopped.getAsBoolean()) {
                String key = "k" + System.nanoTime() / KEYS_LIVE_NANOS + '.' + random.nextInt(KEYS);
                operate(key, random.nextInt(100));
                TimeUnit.MICROSECONDS.sleep(500 + random.nextInt(4000));
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void operate(String key, int draw) throws IOException, InterruptedException {
        if (draw < 70) {
            read(key);
            return;
        }
        String value = name + '-' + ++written;
        if (draw < 85) {
            long call = history.call(Kind.PUT, key, value, null);
            await(call, map.put(key, value), done -> history.answer(call, true, null));
        } else if (draw < 90) {
            long call = history.call(Kind.REMOVE, key, null, null);
            await(call, map.remove(key), had -> history.answer(call, had, null));
        } else if (draw < 95) {
            long call = history.call(Kind.PUT_IF_ABSENT, key, value, null);
            await(call, map.putIfAbsent(key, value), inTheWay -> history.answer(call, inTheWay == null, inTheWay));
        } else {
            String expected = last == null ? "nothing" : last;
            long call = history.call(Kind.REPLACE, key, value, expected);
            await(call, map.replace(key, expected, value), was -> history.answer(call, was, null));
        }
    }

    private void read(String key) throws IOException {
        long call = history.call(Kind.READ, key, null, null);
        try {
            String seen = map.get(key);
            history.answer(call, true, seen);
            last = seen;
        } catch (MapUnavailableException e) {
            history.withoutEffect(call, e.reason().name());
        } catch (ClosedException e) {
            history.withoutEffect(call, "closed");
        }
    }

    private interface Answered<T> {
        void note(T answer) throws IOException;
    }

    private <T> void await(long call, CompletionStage<T> stage, Answered<T> answered)
            throws IOException, InterruptedException {
        try {
            answered.note(stage.toCompletableFuture().get(ANSWER_SECONDS, TimeUnit.SECONDS));
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof MapUnavailableException unavailable) {
                history.withoutEffect(call, unavailable.reason().name());
            } else if (cause instanceof RejectedException rejected) {
                history.withoutEffect(call, rejected.reason().name());
            } else {
                history.unknown(call, cause.getClass().getSimpleName());
            }
        } catch (TimeoutException e) {
            history.unknown(call, "unanswered");
        }
    }
}
