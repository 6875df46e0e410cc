package io.georep.spring.maps;

import io.georep.funnel.ReplicatedMap;
import io.georep.funnel.WriteOptions;
import io.georep.model.GeoRepException;
import io.georep.model.IndeterminateException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.support.AbstractValueAdaptingCache;
import org.springframework.cache.support.SimpleValueWrapper;

/**
 * A replicated map as a cache of Spring. What one node puts or evicts, all nodes see with their next look. Writes wait until they are
 * committed. Nothing is kept for null.
 */
final class ReplicatedCache extends AbstractValueAdaptingCache {
    private static final int REMOVALS_AT_ONCE = 500;

    private final ReplicatedMap<Object, Object> map;
    private final Class<?> keyType;
    private final WriteOptions options;
    private final Duration patience;
    private final BooleanSupplier mustNotWait;

    /**
     * A cache over a map.
     *
     * @param patience how long to wait for a write
     * @param mustNotWait whether the calling thread would wait for itself
     */
    ReplicatedCache(
            ReplicatedMap<Object, Object> map,
            Class<?> keyType,
            WriteOptions options,
            Duration patience,
            BooleanSupplier mustNotWait) {
        super(false);
        this.map = map;
        this.keyType = keyType;
        this.options = options;
        this.patience = patience;
        this.mustNotWait = mustNotWait;
    }

    @Override
    public String getName() {
        return map.name();
    }

    @Override
    public Object getNativeCache() {
        return map;
    }

    private Object checked(Object key) {
        if (!keyType.isInstance(key)) {
            throw new IllegalArgumentException("cache '" + getName() + "' has keys of " + keyType.getName() + ", not "
                    + key.getClass().getName() + ": set georep.maps.caches." + getName()
                    + ".key-type, or choose a key with the attribute 'key'");
        }
        return key;
    }

    @Override
    protected @Nullable Object lookup(Object key) {
        return map.get(checked(key));
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> @Nullable T get(Object key, Callable<T> loader) {
        Object found = lookup(key);
        if (found != null) {
            return (T) found;
        }
        T loaded;
        try {
            loaded = loader.call();
        } catch (Exception e) {
            throw new ValueRetrievalException(key, loader, e);
        }
        if (loaded != null) {
            put(key, loaded);
        }
        return loaded;
    }

    @Override
    public @Nullable CompletableFuture<?> retrieve(Object key) {
        return aside(map.read(checked(key)));
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> CompletableFuture<T> retrieve(Object key, Supplier<CompletableFuture<T>> loader) {
        return aside(map.read(checked(key))).thenCompose(found -> {
            if (found != null) {
                return CompletableFuture.completedFuture((T) found);
            }
            return loader.get()
                    .thenCompose(loaded -> loaded == null
                            ? CompletableFuture.completedFuture(loaded)
                            : aside(map.put(key, loaded, options)).thenApply(done -> loaded));
        });
    }

    /**
     * What the application does next may block, and must not do so on the thread that answers for all maps. If the answer is there,
     * it goes on with its own thread, and with what belongs to that, such as a transaction.
     */
    private static <T> CompletableFuture<T> aside(CompletionStage<T> stage) {
        CompletableFuture<T> answer = stage.toCompletableFuture();
        return answer.isDone() ? answer : answer.whenCompleteAsync((value, error) -> {});
    }

    @Override
    public void put(Object key, @Nullable Object value) {
        wait(() -> map.put(checked(key), toStoreValue(value), options));
    }

    @Override
    public @Nullable ValueWrapper putIfAbsent(Object key, @Nullable Object value) {
        Object before = wait(() -> map.putIfAbsent(checked(key), toStoreValue(value), options));
        return before == null ? null : new SimpleValueWrapper(before);
    }

    @Override
    public void evict(Object key) {
        evictIfPresent(key);
    }

    @Override
    public boolean evictIfPresent(Object key) {
        return Boolean.TRUE.equals(wait(() -> map.remove(checked(key))));
    }

    @Override
    public void clear() {
        invalidate();
    }

    @Override
    public boolean invalidate() {
        List<Object> keys = new ArrayList<>();
        map.forEach((key, value) -> keys.add(key));
        for (int from = 0; from < keys.size(); from += REMOVALS_AT_ONCE) {
            List<Object> some = keys.subList(from, Math.min(keys.size(), from + REMOVALS_AT_ONCE));
            wait(() -> CompletableFuture.allOf(some.stream()
                    .map(key -> map.remove(key).toCompletableFuture())
                    .toArray(CompletableFuture[]::new)));
        }
        return !keys.isEmpty();
    }

    private <R> @Nullable R wait(Supplier<CompletionStage<R>> write) {
        if (mustNotWait.getAsBoolean()) {
            throw new IllegalStateException("a write to cache '" + getName()
                    + "' would wait on the node's application thread for itself: write on another thread");
        }
        try {
            return write.get().toCompletableFuture().get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof GeoRepException typed) {
                throw typed;
            }
            throw new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw new IndeterminateException("a write to cache '" + getName() + "' was not committed within " + patience
                    + ": it may still be; look at the key before you repeat it");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for a write to cache '" + getName() + "'", e);
        }
    }
}
