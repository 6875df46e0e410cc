package io.georep.spi;

import io.georep.model.Slice;
import java.nio.charset.StandardCharsets;

/**
 * Writes payloads as bytes and reads them. Many threads call it at once, so it must be thread-safe.
 *
 * @param <T> type of the payload
 */
public interface PayloadCodec<T> {
    /**
     * Writes a payload, on the sender's thread. The array is copied before {@code send} returns.
     *
     * @throws Exception if the payload cannot be written; {@code send} then throws {@link IllegalArgumentException}
     */
    byte[] encode(T payload) throws Exception;

    /**
     * Reads a payload, on the thread that forwards, or for lists of entries on a thread of the common pool. The bytes are
     * shared: do not change or keep them.
     *
     * @throws Exception if the bytes mean nothing; the entry then becomes a dead letter
     */
    T decode(Slice bytes) throws Exception;

    /** Returns the codec that leaves bytes as they are. */
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

    /** Returns the codec that writes text as UTF-8. */
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
