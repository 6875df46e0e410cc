package io.georep.store.rocksdb;

import io.georep.model.Slice;
import io.georep.spi.EncryptionKey;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.function.Supplier;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;

/** Encrypts values with one key, one after the other into the same memory. Used by the store's thread only. */
final class RecordSealer {
    /** Records under one salt; far below what AES-GCM bears with groups of any size. */
    private static final long RECORDS_MAX = 1L << 32;

    private static final int KEPT_BYTES_MAX = 1 << 20;

    private final EncryptionNote.Marker marker;
    private final EncryptionKey key;
    private final Supplier<byte[]> salts;
    private final long recordsMax;
    private final Cipher cipher = SealedRecord.cipher();
    private SecretKeySpec recordKey;
    private byte[] header;
    private long number;
    private byte[] sealed = new byte[0];

    RecordSealer(EncryptionNote.Marker marker, EncryptionKey key) {
        this(marker, key, RecordSealer::randomSalt, RECORDS_MAX);
    }

    RecordSealer(EncryptionNote.Marker marker, EncryptionKey key, Supplier<byte[]> salts, long recordsMax) {
        this.marker = marker;
        this.key = key;
        this.salts = salts;
        this.recordsMax = recordsMax;
        byte[] salt = salts.get();
        this.header = SealedRecord.header(marker, key.id(), salt);
        this.recordKey = SealedRecord.recordKey(key, salt);
    }

    private static byte[] randomSalt() {
        byte[] salt = new byte[SealedRecord.SALT_BYTES];
        new SecureRandom().nextBytes(salt);
        return salt;
    }

    EncryptionKey key() {
        return key;
    }

    /** Returns the encrypted value, in memory that the next call overwrites. */
    Slice seal(byte[] storeKey, Slice value) {
        if (number == recordsMax) {
            byte[] salt = salts.get();
            header = SealedRecord.header(marker, key.id(), salt);
            recordKey = SealedRecord.recordKey(key, salt);
            number = 0;
        }
        int length = header.length + value.length() + SealedRecord.TAG_BYTES;
        if (sealed.length < length || sealed.length > KEPT_BYTES_MAX) {
            sealed = new byte[Math.max(length, Math.min(2 * length, KEPT_BYTES_MAX))];
        }
        // The number is counted before it is used, so that it is never used again, whatever fails below.
        long mine = number++;
        ByteBuffer.wrap(header).putLong(header.length - SealedRecord.NUMBER_BYTES, mine);
        try {
            cipher.init(Cipher.ENCRYPT_MODE, recordKey, SealedRecord.nonce(mine));
            cipher.updateAAD(header);
            cipher.updateAAD(storeKey);
            cipher.doFinal(value.array(), value.offset(), value.length(), sealed, header.length);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a record cannot be encrypted: " + e, e);
        }
        System.arraycopy(header, 0, sealed, 0, header.length);
        return new Slice(sealed, 0, length);
    }
}
