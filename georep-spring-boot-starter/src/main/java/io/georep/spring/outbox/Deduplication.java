package io.georep.spring.outbox;

import io.georep.model.EntryId;
import io.georep.outbox.SendInterceptor;
import io.georep.spi.Ticker;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the producer keys of recent sends: a send whose key was seen within the queue's window returns the earlier
 * entry and sends nothing. A send that failed is forgotten, so that the producer may repeat it. A send inside a
 * transaction is remembered for that transaction alone until it committed: until then it may be withdrawn, and another
 * send that was given its entry would be lost with it. Only this node and this process remember; a producer that
 * repeats elsewhere, in another transaction at the same time, or after a restart, is recognised by the consumer through
 * the key that travels with the entry.
 */
public final class Deduplication implements SendInterceptor {
    private final Function<String, QueueSettings> settings;
    private final Ticker ticker;
    private final Supplier<SendScope.@Nullable Current> scopes;
    private final Map<String, Window> windows = new ConcurrentHashMap<>();

    /**
     * Nothing is remembered yet.
     *
     * @param settings the settings of a queue by its name
     * @param scopes who knows about transactions; null when nobody does
     */
    public Deduplication(
            Function<String, QueueSettings> settings, Ticker ticker, Supplier<SendScope.@Nullable Current> scopes) {
        this.settings = settings;
        this.ticker = ticker;
        this.scopes = scopes;
    }

    @Override
    public <T> List<CompletionStage<EntryId>> send(Call<T> call, Next<T> next) {
        String key = call.options().values().producerKey();
        if (key == null || call.payloads().size() != 1) {
            return next.send(call);
        }
        QueueSettings queue = settings.apply(call.queue());
        Duration length = queue.deduplicationWindow();
        if (length == null) {
            return next.send(call);
        }
        Window window = windows.computeIfAbsent(
                call.queue(), name -> new Window(length, Math.max(1, queue.deduplicationKeysMax())));
        SendScope.Current current = scopes.get();
        SendScope scope = current == null ? null : current.get();
        return List.of(scope == null ? sendOnce(call, next, key, window) : sendIn(scope, call, next, key, window));
    }

    /** Claims the key before it sends, because nothing of others may run inside the monitor. */
    private <T> CompletionStage<EntryId> sendOnce(Call<T> call, Next<T> next, String key, Window window) {
        CompletableFuture<EntryId> answer = new CompletableFuture<>();
        CompletionStage<EntryId> stage = answer.minimalCompletionStage();
        CompletionStage<EntryId> earlier = window.earlierOrRemember(key, stage, ticker.nanos());
        if (earlier != null) {
            return earlier;
        }
        CompletionStage<EntryId> sent;
        try {
            sent = next.send(call).get(0);
        } catch (Throwable e) {
            window.forget(key, stage);
            answer.completeExceptionally(e); // for whoever got this stage meanwhile
            throw e;
        }
        sent.whenComplete((id, error) -> {
            if (error == null) {
                answer.complete(id);
            } else {
                window.forget(key, stage);
                answer.completeExceptionally(
                        error instanceof CompletionException && error.getCause() != null ? error.getCause() : error);
            }
        });
        return stage;
    }

    private <T> CompletionStage<EntryId> sendIn(
            SendScope scope, Call<T> call, Next<T> next, String key, Window window) {
        CompletionStage<EntryId> own = scope.earlier(call.queue(), key);
        if (own != null) {
            return own;
        }
        CompletionStage<EntryId> earlier = window.earlier(key, ticker.nanos());
        if (earlier != null) {
            scope.dependsOn(call.queue(), earlier);
            return earlier;
        }
        CompletionStage<EntryId> stage = next.send(call).get(0);
        scope.keyed(call.queue(), key, stage, () -> {
            window.remember(key, stage, ticker.nanos());
            stage.whenComplete((id, error) -> {
                if (error != null) {
                    window.forget(key, stage);
                }
            });
        });
        return stage;
    }

    /** Keys of one queue, oldest first. Every key lives equally long, so they also end in this order. Thread-safe. */
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

        synchronized @Nullable CompletionStage<EntryId> earlierOrRemember(
                String key, CompletionStage<EntryId> stage, long now) {
            CompletionStage<EntryId> earlier = earlier(key, now);
            if (earlier == null) {
                remember(key, stage, now);
            }
            return earlier;
        }

        synchronized void remember(String key, CompletionStage<EntryId> stage, long now) {
            keys.remove(key); // so that the newest stands last
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
}
