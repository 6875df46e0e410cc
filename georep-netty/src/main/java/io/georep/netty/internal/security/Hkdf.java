package io.georep.netty.internal.security;

import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Keys from a secret: HKDF with HMAC-SHA-256 (RFC 5869). */
final class Hkdf {
    static final int HASH_BYTES = 32;
    private static final String ALGORITHM = "HmacSHA256";

    private Hkdf() {}

    /** Returns HMAC-SHA-256 of these parts, one after the other. */
    static byte[] hmac(byte[] key, byte[]... parts) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            for (byte[] part : parts) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
        }
    }

    /** Returns a key that is as good as the input, however that is distributed. */
    static byte[] extract(byte[] salt, byte[] input) {
        return hmac(salt, input);
    }

    /** Returns so many bytes for this purpose, from a key that {@link #extract} gave. */
    static byte[] expand(byte[] key, byte[] purpose, int length) {
        byte[] out = new byte[length];
        byte[] block = new byte[0];
        for (int from = 0, number = 1; from < length; from += HASH_BYTES, number++) {
            block = hmac(key, block, purpose, new byte[] {(byte) number});
            System.arraycopy(block, 0, out, from, Math.min(HASH_BYTES, length - from));
        }
        return out;
    }
}
