package io.georep.comparison;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A member of a product that {@link ChurnBench} asks, kills and replaces: a process. */
abstract class Churned {
    final Process process;

    /** Completes once it can be asked. */
    final CompletableFuture<@Nullable String> ready = new CompletableFuture<>();

    Churned(Process process) {
        this.process = process;
    }

    /** Completes with the value when the product says that it is sure of it, null if there is none. */
    abstract CompletableFuture<@Nullable String> get(String key);

    /** Completes when the product says that it is done. */
    abstract CompletableFuture<?> put(String key, String value);

    /** Ends it without notice. */
    final void kill() {
        process.destroyForcibly();
    }

    /** The processor time it has taken so far, in nanoseconds. */
    final long cpuNanos() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
    }

    /** Makes and replaces the members of one product; files go into a directory. */
    interface Maker {
        /** Starts the member of this place. It has nothing; the others may run already. */
        Churned start(int place) throws Exception;

        /** What an operator does where somebody is gone for good, before the next one starts in its place. */
        default void forget(int place) throws Exception {}
    }
}
