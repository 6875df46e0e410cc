package io.georep.spring.outbox;

import io.georep.model.EntryId;
import io.georep.spi.Ticker;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the producer keys of recent sends: a send whose key was seen within the queue's window answers the earlier
 * entry and sends nothing. A send that failed is forgotten, so that the producer may repeat it. Only this node and this
 * process remember; a producer that repeats elsewhere, or after a restart, is recognised by the consumer through the key
 * that travels with the entry.
 */
public final class Deduplication implements SendAdvice {
    /** Keys of one queue, oldest first. Every key lives equally long, so they also end in this order. */
    private static final class Window {
        private record Remembered(CompletionStage<EntryId> stage, long sinceNanos) {}

        private final Map<String, Remembered> keys = new LinkedHashMap<>();
        private final long nanos;
        private final int keysMax;

        Window(Duration length, int keysMax) {
            this.nanos = length.toNanos();
            this.keysMax = keysMax;
        }

        synchronized @Nullable CompletionStage<EntryId> earlier(String key, long now) {
            Iterator<Remembered> oldest = keys.values().iterator();
            while (oldest.hasNext() && now - oldest.next().sinceNanos() >= nanos) {
                oldest.remove();
            }
            Remembered found = keys.get(key);
            return found == null ? null : found.stage();
        }

        synchronized void remember(String key, CompletionStage<EntryId> stage, long now) {
            if (keys.size() >= keysMax) {
                Iterator<String> oldest = keys.keySet().iterator();
                oldest.next();
                oldest.remove();
            }
            keys.put(key, new Remembered(stage, now));
        }

        synchronized void forget(String key, CompletionStage<EntryId> stage) {
            Remembered found = keys.get(key);
            if (found != null && found.stage() == stage) {
                keys.remove(key);
            }
        }
    }

    private final Function<String, QueueSettings> settings;
    private final Ticker ticker;
    private final Map<String, Window> windows = new ConcurrentHashMap<>();

    public Deduplication(Function<String, QueueSettings> settings, Ticker ticker) {
        this.settings = settings;
        this.ticker = ticker;
    }

    @Override
    public <T> List<CompletionStage<EntryId>> send(Call<T> call, Next<T> next) {
        String key = call.options().producerKey();
        QueueSettings queue = settings.apply(call.queue());
        Duration length = queue.deduplicationWindow();
        if (key == null || length == null || call.payloads().size() != 1) {
            return next.send(call);
        }
        Window window = windows.computeIfAbsent(
                call.queue(), name -> new Window(length, Math.max(1, queue.deduplicationKeysMax())));
        CompletionStage<EntryId> stage;
        synchronized (window) {
            CompletionStage<EntryId> earlier = window.earlier(key, ticker.nanos());
            if (earlier != null) {
                return List.of(earlier);
            }
            stage = next.send(call).get(0);
            window.remember(key, stage, ticker.nanos());
        }
        stage.whenComplete((id, error) -> {
            if (error != null) {
                window.forget(key, stage);
            }
        });
        return List.of(stage);
    }

    /** Forgets a key whose send was withdrawn. */
    public void forget(String queue, String key) {
        Window window = windows.get(queue);
        if (window != null) {
            synchronized (window) {
                window.keys.remove(key);
            }
        }
    }
}
