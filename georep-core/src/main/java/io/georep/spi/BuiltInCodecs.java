package io.georep.spi;

import org.jspecify.annotations.Nullable;

/** The codecs that need no library. */
enum BuiltInCodecs implements CodecResolver {
    INSTANCE;

    @Override
    @SuppressWarnings("unchecked")
    public <T> @Nullable PayloadCodec<T> resolve(Class<T> type) {
        if (type == byte[].class) {
            return (PayloadCodec<T>) PayloadCodec.bytes();
        }
        return type == String.class ? (PayloadCodec<T>) PayloadCodec.string() : null;
    }
}
