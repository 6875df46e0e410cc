package io.georep.store.rocksdb;

import io.georep.spi.EncryptionKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Form of an encrypted value.
 *
 * <pre>
 * 8 marker of the directory | u8 version = 1 | u8 length, id of the key | 16 salt | u64 number | ciphertext | 16 tag
 * record key = HMAC-SHA-256(key, "georep store 1 records" 0 salt)
 * nonce      = u32 0, u64 number
 * AES-256-GCM with the record key; associated data: everything before the ciphertext, then the key of the pair
 * </pre>
 *
 * <p>A salt is drawn at random for each key at each start, and numbers count up from 0 within it: a nonce is never used twice
 * with the same record key, whatever becomes of the directory and its copies.
 */
final class SealedRecord {
    static final int VERSION = 1;
    static final int SALT_BYTES = 16;
    static final int TAG_BYTES = 16;
    static final int NUMBER_BYTES = Long.BYTES;

    /** Most bytes before the ciphertext. */
    static final int HEADER_BYTES_MAX =
            EncryptionNote.Marker.BYTES + 2 + EncryptionKey.ID_LENGTH_MAX + SALT_BYTES + NUMBER_BYTES;

    private static final int VERSION_AT = EncryptionNote.Marker.BYTES;
    private static final int ID_AT = VERSION_AT + 2;
    private static final int NONCE_BYTES = 12;
    private static final String PURPOSE = "georep store 1 records";

    private SealedRecord() {}

    /**
     * What stands before the ciphertext.
     *
     * @param id of the key
     * @param length in bytes
     */
    record Header(String id, byte[] salt, long number, int length) {
        /** Reads a header behind the marker; null if the record has none that this directory could have written. */
        static @Nullable Header of(byte[] record, EncryptionNote note) {
            Header header = read(record);
            return header != null && note.keys().containsKey(header.id) ? header : null;
        }

        /** Reads a header behind the marker; null if the record is too short for one. */
        static @Nullable Header read(byte[] record) {
            int idLength = record.length < ID_AT ? 0 : record[ID_AT - 1] & 0xff;
            int length = ID_AT + idLength + SALT_BYTES + NUMBER_BYTES;
            if (idLength == 0 || record.length < length) {
                return null;
            }
            int saltAt = ID_AT + idLength;
            return new Header(
                    new String(record, ID_AT, idLength, StandardCharsets.ISO_8859_1),
                    Arrays.copyOfRange(record, saltAt, saltAt + SALT_BYTES),
                    ByteBuffer.wrap(record).getLong(length - NUMBER_BYTES),
                    length);
        }
    }

    /** Returns the format version of a record that begins with the marker; 0 if the record ends before it. */
    static int version(byte[] record) {
        return record.length <= VERSION_AT ? 0 : record[VERSION_AT] & 0xff;
    }

    /** Returns a header whose record number is 0. */
    static byte[] header(EncryptionNote.Marker marker, String id, byte[] salt) {
        byte[] name = id.getBytes(StandardCharsets.ISO_8859_1);
        return ByteBuffer.allocate(ID_AT + name.length + SALT_BYTES + NUMBER_BYTES)
                .put(marker.bytes())
                .put((byte) VERSION)
                .put((byte) name.length)
                .put(name)
                .put(salt)
                .array();
    }

    static SecretKeySpec recordKey(EncryptionKey key, byte[] salt) {
        return new SecretKeySpec(key.derive(PURPOSE, salt), "AES");
    }

    static Cipher cipher() {
        try {
            return Cipher.getInstance("AES/GCM/NoPadding");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no AES in GCM, which every JVM must have", e);
        }
    }

    static GCMParameterSpec nonce(long number) {
        byte[] nonce = new byte[NONCE_BYTES];
        ByteBuffer.wrap(nonce).putLong(NONCE_BYTES - NUMBER_BYTES, number);
        return new GCMParameterSpec(8 * TAG_BYTES, nonce);
    }
}
