package io.georep.bench.micro;

import java.util.SplittableRandom;

/** Payloads that compress about as well as short messages do. */
final class BenchmarkPayload {
    private static final String LETTERS = "0123456789abcdef ,.:{}\"etaoin";

    private BenchmarkPayload() {}

    /** The same bytes for the same length. */
    static byte[] bytes(int length) {
        SplittableRandom random = new SplittableRandom(length);
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) LETTERS.charAt(random.nextInt(LETTERS.length()));
        }
        return bytes;
    }
}
