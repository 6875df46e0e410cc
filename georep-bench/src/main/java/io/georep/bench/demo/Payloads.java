package io.georep.bench.demo;

import java.nio.ByteBuffer;

/** Payloads that tell which attempt they belong to, and whether any byte of them changed on the way. */
final class Payloads {
    /** Smallest payload: the two numbers. */
    static final int BYTES_MIN = 2 * Long.BYTES;

    private Payloads() {}

    /** The payload of an attempt to send a message. */
    static byte[] make(int bytes, long attempt, long message) {
        ByteBuffer payload = ByteBuffer.allocate(bytes);
        payload.putLong(attempt).putLong(message);
        long state = attempt;
        while (payload.hasRemaining()) {
            state = next(state);
            payload.put((byte) (state >>> 56));
        }
        return payload.array();
    }

    /** The attempt a payload belongs to, or -1 when it is damaged. */
    static long attempt(byte[] payload) {
        if (payload.length < BYTES_MIN) {
            return -1;
        }
        ByteBuffer read = ByteBuffer.wrap(payload);
        long attempt = read.getLong();
        read.getLong();
        long state = attempt;
        while (read.hasRemaining()) {
            state = next(state);
            if (read.get() != (byte) (state >>> 56)) {
                return -1;
            }
        }
        return attempt;
    }

    private static long next(long state) {
        return state * 6364136223846793005L + 1442695040888963407L;
    }
}
