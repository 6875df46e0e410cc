package io.georep.spring.maps;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.ReplicatedMap;
import io.georep.funnel.WriteOptions;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Whoever continues a future of a cache may block: that holds up nobody else's reads and writes of maps. */
class ReplicatedCacheTest {
    private final CompletableFuture<Object> read = new CompletableFuture<>();
    private final CompletableFuture<Object> written = new CompletableFuture<>();

    @SuppressWarnings("unchecked")
    private final ReplicatedCache cache = new ReplicatedCache(
            (ReplicatedMap<Object, Object>) Proxy.newProxyInstance(
                    ReplicatedMap.class.getClassLoader(),
                    new Class<?>[] {ReplicatedMap.class},
                    (proxy, method, arguments) -> switch (method.getName()) {
                        case "read" -> read;
                        case "put" -> written;
                        default -> throw new UnsupportedOperationException(method.getName());
                    }),
            String.class,
            WriteOptions.defaults(),
            Duration.ofSeconds(1),
            () -> false);

    @Test
    void whatFollowsALookDoesNotRunOnTheThreadOfTheMaps() {
        CompletableFuture<Thread> follower = cache.retrieve("46").thenApply(found -> Thread.currentThread());

        read.complete("rate"); // this thread is the maps' one

        assertThat(follower.join()).isNotEqualTo(Thread.currentThread());
    }

    /** Else the method would miss the caller's transaction, its security context and its request. */
    @Test
    void aLoaderRunsOnTheCallersThreadIfTheMapAnswersAtOnce() {
        read.complete(null);
        written.complete(null);

        CompletableFuture<Thread> loader = new CompletableFuture<>();
        CompletableFuture<String> loaded = cache.retrieve("46", () -> {
            loader.complete(Thread.currentThread());
            return CompletableFuture.completedFuture("rate");
        });

        assertThat(loaded.join()).isEqualTo("rate");
        assertThat(loader).isCompletedWithValue(Thread.currentThread());
    }

    @Test
    void aLoaderAndWhatFollowsItDoNotRunOnTheThreadOfTheMaps() {
        CompletableFuture<Thread> loader = new CompletableFuture<>();
        CompletableFuture<Thread> follower = cache.retrieve("46", () -> {
                    loader.complete(Thread.currentThread());
                    return CompletableFuture.completedFuture("rate");
                })
                .thenApply(loaded -> Thread.currentThread());

        read.complete(null);
        assertThat(loader.join()).isNotEqualTo(Thread.currentThread());
        written.complete(null);

        assertThat(follower.join()).isNotEqualTo(Thread.currentThread());
    }
}
