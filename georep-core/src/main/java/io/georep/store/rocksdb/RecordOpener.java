package io.georep.store.rocksdb;

import io.georep.model.Slice;
import io.georep.model.StoreException;
import io.georep.spi.EncryptionKey;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;

/** Reads values, encrypted or not. Used by one thread at a time. */
final class RecordOpener {
    /** How many record keys are remembered. Each start has its own, and most records are of the last few starts. */
    private static final int KEYS_MAX = 64;

    private record KeyName(String id, ByteBuffer salt) {}

    private final Encryption encryption;
    private final Cipher cipher = SealedRecord.cipher();
    private final Map<KeyName, SecretKeySpec> recordKeys = new LinkedHashMap<>(KEYS_MAX, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<KeyName, SecretKeySpec> eldest) {
            return size() > KEYS_MAX;
        }
    };

    RecordOpener(Encryption encryption) {
        this.encryption = encryption;
    }

    /**
     * Returns the value that a record holds.
     *
     * @param record as it is stored; overwritten
     * @throws StoreException if it is damaged or not for this key of the store, or if its encryption key is missing
     */
    Slice open(byte[] storeKey, byte[] record) {
        EncryptionNote note = encryption.note();
        if (note == null) {
            return Slice.of(record);
        }
        if (!note.marker().begins(record)) {
            if (!note.hasPlain()) {
                throw encryption.corrupt(
                        "the record " + name(storeKey) + " is not encrypted, although all records should be");
            }
            return Slice.of(record);
        }
        int version = SealedRecord.version(record);
        if (version > SealedRecord.VERSION) {
            throw encryption.newerForm(version);
        }
        SealedRecord.Header header = version == SealedRecord.VERSION ? SealedRecord.Header.of(record, note) : null;
        if (header == null || record.length < header.length() + SealedRecord.TAG_BYTES) {
            throw encryption.corrupt("the encrypted record " + name(storeKey) + " is cut off or altered");
        }
        return decrypt(storeKey, record, header);
    }

    private Slice decrypt(byte[] storeKey, byte[] record, SealedRecord.Header header) {
        try {
            cipher.init(Cipher.DECRYPT_MODE, recordKey(header), SealedRecord.nonce(header.number()));
            cipher.updateAAD(record, 0, header.length());
            cipher.updateAAD(storeKey);
            int length =
                    cipher.doFinal(record, header.length(), record.length - header.length(), record, header.length());
            return new Slice(record, header.length(), length);
        } catch (GeneralSecurityException e) {
            throw encryption.corrupt("the record " + name(storeKey) + ", encrypted with key '" + header.id()
                    + "', was altered, or moved here from elsewhere");
        }
    }

    private SecretKeySpec recordKey(SealedRecord.Header header) {
        KeyName name = new KeyName(header.id(), ByteBuffer.wrap(header.salt()));
        SecretKeySpec known = recordKeys.get(name);
        if (known == null) {
            EncryptionKey key = encryption.find(header.id());
            if (key == null) {
                throw encryption.missing(header.id(), "a record that is needed now");
            }
            known = SealedRecord.recordKey(key, header.salt());
            recordKeys.put(name, known);
        }
        return known;
    }

    /** Returns which kind of record it is; the rest of a key may be the application's. */
    private static String name(byte[] storeKey) {
        return storeKey.length < 2
                ? "with a key of " + storeKey.length + " bytes"
                : "of kind " + (storeKey[1] & 0xff) + " of channel " + (storeKey[0] & 0xff);
    }
}
