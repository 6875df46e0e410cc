package io.georep.store.rocksdb;

import java.util.SortedMap;
import java.util.TreeMap;

/** Counts which records there are: by the key they need, and those that are not encrypted. */
final class RecordCensus {
    private final Encryption encryption;
    private final EncryptionNote note;
    private final SortedMap<String, Long> sealed = new TreeMap<>();
    private long plain;

    RecordCensus(Encryption encryption, EncryptionNote note) {
        this.encryption = encryption;
        this.note = note;
    }

    /** Counts a record of which these are the first bytes, as many as a header may have. */
    void count(byte[] beginning) {
        if (!note.marker().begins(beginning)) {
            plain++;
            return;
        }
        int version = SealedRecord.version(beginning);
        if (version > SealedRecord.VERSION) {
            throw encryption.newerForm(version);
        }
        SealedRecord.Header header = version == SealedRecord.VERSION ? SealedRecord.Header.of(beginning, note) : null;
        if (header == null) {
            throw encryption.corrupt("an encrypted record is cut off or altered");
        }
        sealed.merge(header.id(), 1L, Long::sum);
    }

    /** Records by the id of the key that they need. */
    SortedMap<String, Long> sealed() {
        return sealed;
    }

    /** Records that are not encrypted. */
    long plain() {
        return plain;
    }
}
