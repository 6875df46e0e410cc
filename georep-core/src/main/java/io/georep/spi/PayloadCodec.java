package io.georep.spi;

import io.georep.model.Slice;
import java.nio.charset.StandardCharsets;

/**
 * Bytes of a payload. Called by many threads at once, so it must be thread-safe.
 *
 * @param <T> type of the payload
 */
public interface PayloadCodec<T> {
    /**
     * Writes a payload; called on the sender's thread. The array is copied before {@code send} returns.
     *
     * @throws Exception when the payload cannot be written: {@code send} throws {@link IllegalArgumentException}
     */
    byte[] encode(T payload) throws Exception;

    /**
     * Reads a payload, on the thread that forwards, or, for lists of entries, on one of the common pool. The bytes are shared: they must not be changed or kept.
     *
     * @throws Exception when the bytes mean nothing: the entry becomes a dead letter
     */
    T decode(Slice bytes) throws Exception;

    /** Bytes as they are. */
    static PayloadCodec<byte[]> bytes() {
        return new PayloadCodec<>() {
            @Override
            public byte[] encode(byte[] payload) {
                return payload;
            }

            @Override
            public byte[] decode(Slice bytes) {
                return bytes.toArray();
            }
        };
    }

    /** UTF-8 text. */
    static PayloadCodec<String> string() {
        return new PayloadCodec<>() {
            @Override
            public byte[] encode(String payload) {
                return payload.getBytes(StandardCharsets.UTF_8);
            }

            @Override
            public String decode(Slice bytes) {
                return new String(bytes.array(), bytes.offset(), bytes.length(), StandardCharsets.UTF_8);
            }
        };
    }
}
