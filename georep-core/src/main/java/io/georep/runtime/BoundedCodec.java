package io.georep.runtime;

import io.georep.model.RejectedException;
import io.georep.model.Slice;
import io.georep.spi.PayloadCodec;
import java.util.Objects;

/**
 * A codec of an application with its bound. What it throws becomes the caller's error.
 *
 * @param what it writes, for messages
 * @param bytesMax the longest
 * @param where it belongs, for messages
 * @param <T> type of what it writes
 */
public record BoundedCodec<T>(PayloadCodec<T> codec, String what, int bytesMax, String where) {
    public BoundedCodec {
        Objects.requireNonNull(codec, what);
    }

    public Slice encode(T object) {
        return Slice.of(bytes(object).clone());
    }

    /** Returns the array of the application, which may change it: nobody must keep it. */
    public byte[] bytes(T object) {
        Objects.requireNonNull(object, what);
        byte[] bytes;
        try {
            bytes = Objects.requireNonNull(codec.encode(object), what);
        } catch (Exception e) {
            throw new IllegalStateException("the codec cannot write a " + what + ": " + e, e);
        }
        if (bytes.length > bytesMax) {
            throw new RejectedException(
                    RejectedException.Reason.PAYLOAD_TOO_LARGE,
                    "a " + what + " of " + bytes.length + " bytes, at most " + bytesMax + " in " + where);
        }
        return bytes;
    }

    public T decode(Slice bytes) {
        try {
            return Objects.requireNonNull(codec.decode(bytes), what);
        } catch (Exception e) {
            throw new IllegalStateException("the codec cannot read a " + what + ": " + e, e);
        }
    }
}
