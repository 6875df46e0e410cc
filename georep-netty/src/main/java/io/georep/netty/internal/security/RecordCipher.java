package io.georep.netty.internal.security;

import io.georep.netty.internal.wire.DistrustException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Seals or opens the records of one direction of a connection: AES-GCM, whose nonce is the number of the record, counted on
 * both sides and never sent. So a record that is altered, repeated, left out or moved does not open. Confined to the
 * connection's event loop.
 */
final class RecordCipher {
    static final int KEY_BYTES = 16;
    static final int TAG_BYTES = 16;

    /**
     * Records sealed with one key; then both sides go on with a key derived from it. Of 128 KiB each, these are well below
     * what AES-GCM takes before an observer has any chance to tell its output from random bytes.
     */
    static final long RECORDS_PER_KEY = 1 << 20;

    private static final byte[] NEXT_KEY = "next key".getBytes(StandardCharsets.US_ASCII);
    private static final int NONCE_BYTES = 12;

    private final int mode;
    private final Cipher cipher;
    private final byte[] nonce = new byte[NONCE_BYTES];
    private final ByteBuffer nonceView = ByteBuffer.wrap(nonce);
    private final long recordsPerKey;
    private byte[] key;
    private SecretKeySpec keySpec;
    private long number;

    private RecordCipher(int mode, byte[] key, long recordsPerKey) {
        this.mode = mode;
        this.key = key;
        this.recordsPerKey = recordsPerKey;
        keySpec = new SecretKeySpec(key, "AES");
        try {
            cipher = Cipher.getInstance("AES/GCM/NoPadding");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has AES-GCM", e);
        }
    }

    static RecordCipher sealing(byte[] key) {
        return sealing(key, RECORDS_PER_KEY);
    }

    static RecordCipher opening(byte[] key) {
        return opening(key, RECORDS_PER_KEY);
    }

    /** For tests, with keys that end sooner. */
    static RecordCipher sealing(byte[] key, long recordsPerKey) {
        return new RecordCipher(Cipher.ENCRYPT_MODE, key, recordsPerKey);
    }

    /** For tests, with keys that end sooner. */
    static RecordCipher opening(byte[] key, long recordsPerKey) {
        return new RecordCipher(Cipher.DECRYPT_MODE, key, recordsPerKey);
    }

    /** Returns the number of the next record, from 0. */
    long number() {
        return number;
    }

    /**
     * Seals or opens the next record, from array to array: from and to buffers outside the heap the cipher of Java 17 goes in
     * pieces of a kilobyte, with a copy of each. To seal, both arrays may be the same from the same place on.
     *
     * @param count bytes from the start of {@code in}: plain ones to seal; to open, a sealed record, whose length is protected
     *     with it
     * @throws DistrustException when a record is not the one that the other side sent at this place
     */
    void next(byte[] in, int count, byte[] out, int outOffset) {
        if (number > 0 && number % recordsPerKey == 0) {
            key = Hkdf.expand(key, NEXT_KEY, KEY_BYTES);
            keySpec = new SecretKeySpec(key, "AES");
        }
        nonceView.putLong(NONCE_BYTES - Long.BYTES, number);
        int length = mode == Cipher.ENCRYPT_MODE ? count + TAG_BYTES : count;
        try {
            cipher.init(mode, keySpec, new GCMParameterSpec(TAG_BYTES * Byte.SIZE, nonce));
            cipher.updateAAD(
                    new byte[] {(byte) (length >>> 24), (byte) (length >>> 16), (byte) (length >>> 8), (byte) length});
            cipher.doFinal(in, 0, count, out, outOffset);
        } catch (AEADBadTagException e) {
            throw new DistrustException("record " + number
                    + " is not what the other side sent at this place: it was altered, repeated, left out or moved on the"
                    + " way");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("AES-GCM failed", e);
        }
        number++;
    }
}
