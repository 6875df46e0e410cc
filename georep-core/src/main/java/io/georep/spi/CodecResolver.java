package io.georep.spi;

import org.jspecify.annotations.Nullable;

/** Finds the codec of outboxes that were given only a class, for example one that maps every class to JSON. */
@FunctionalInterface
public interface CodecResolver {
    /** The codec of this type; null when there is none. */
    <T> @Nullable PayloadCodec<T> resolve(Class<T> type);

    /** Knows {@code byte[]} and {@code String}, which every node knows without being told. */
    static CodecResolver builtIn() {
        return BuiltInCodecs.INSTANCE;
    }
}
