package io.georep.spi;

import org.jspecify.annotations.Nullable;

/** Finds the codec of outboxes that were opened with a class. For example, a resolver may map every class to JSON. */
@FunctionalInterface
public interface CodecResolver {
    /** Returns the codec of this type; null if there is none. */
    <T> @Nullable PayloadCodec<T> resolve(Class<T> type);

    /** Returns the resolver of {@code byte[]} and {@code String}, which every node uses anyway. */
    static CodecResolver builtIn() {
        return BuiltInCodecs.INSTANCE;
    }
}
