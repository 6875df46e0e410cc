package io.georep.comparison;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A member of a product that {@link ChurnBench} asks, kills and replaces. */
interface Churned {
    /** Completes with the value when the product says that it is sure of it, null if there is none. */
    CompletableFuture<@Nullable String> get(String key);

    /** Completes when the product says that it is done. */
    CompletableFuture<?> put(String key, String value);

    /** Completes once it can be asked. */
    CompletableFuture<?> ready();

    /** Ends it without notice. */
    void kill();

    /** The processor time it has taken so far, in nanoseconds. */
    long cpuNanos();

    /** Makes and replaces the members of one product; files go into a directory. */
    interface Maker {
        /** Starts the member of this place. It has nothing; the others may run already. */
        Churned start(int place) throws Exception;

        /** What an operator does where somebody is gone for good, before the next one starts in its place. */
        default void forget(int place) throws Exception {}
    }
}
