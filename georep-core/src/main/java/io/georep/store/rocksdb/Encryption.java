package io.georep.store.rocksdb;

import io.georep.model.StoreException;
import io.georep.model.StoreException.Kind;
import io.georep.spi.EncryptionKey;
import io.georep.spi.EncryptionKeys;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the records of one directory are encrypted. Before the first record is written with a key, or without one, the
 * directory notes that. So when the directory is opened, it is known whether all keys are there that its records
 * need.
 */
final class Encryption {
    private static final Logger LOG = LoggerFactory.getLogger(Encryption.class);

    private final @Nullable EncryptionKeys keys;
    private final StoreDirectory directory;
    private @Nullable RecordSealer sealer;
    private @Nullable String problem;

    Encryption(StoreDirectory directory, @Nullable EncryptionKeys keys) {
        this.directory = directory;
        this.keys = keys;
    }

    /** Returns what the directory says; null if nothing in it was ever encrypted. */
    @Nullable
    EncryptionNote note() {
        return directory.encryption();
    }

    @Nullable
    EncryptionKey find(String id) {
        return keys == null ? null : keys.find(id);
    }

    /** Returns what encrypts the next values; null to leave them as they are. */
    @Nullable
    RecordSealer sealer() {
        return sealer;
    }

    /**
     * Checks that the keys are those that the records need, and notes the one for writing. Called once, before
     * anything is written.
     *
     * @throws StoreException if a key is missing, or if another key has the same id
     */
    void begin(Database database) throws RocksDBException, IOException {
        EncryptionKey current = keys == null ? null : keys.current();
        EncryptionNote noted = note();
        EncryptionNote begun = noted == null
                ? new EncryptionNote(EncryptionNote.Marker.random(), new TreeMap<>(), !directory.isNew())
                : checked(noted, current, database);
        if (current != null) {
            directory.note(begun.with(current));
            sealer = new RecordSealer(begun.marker(), current);
        } else if (noted != null) {
            // If nothing is encrypted any more, the directory says nothing, as if nothing had ever been encrypted.
            directory.note(begun.keys().isEmpty() ? null : begun.withPlain());
        }
    }

    private EncryptionNote checked(EncryptionNote noted, @Nullable EncryptionKey current, Database database)
            throws RocksDBException {
        for (String id : noted.keys().keySet()) {
            EncryptionKey key = find(id);
            if (key != null && !noted.agrees(key)) {
                throw new StoreException(
                        Kind.KEY_MISSING,
                        "store in " + directory.root() + ": encryption key '" + id
                                + "' is not the one that records here"
                                + " are encrypted with: put the right key back under this id, and give each new key an"
                                + " id of its own");
            }
        }
        boolean isUniform = current != null
                && !noted.hasPlain()
                && noted.keys().size() == 1
                && noted.keys().containsKey(current.id());
        if (isUniform) {
            return noted;
        }
        RecordCensus census = new RecordCensus(this, noted);
        database.visitBeginnings(SealedRecord.HEADER_BYTES_MAX, census::count);
        for (Map.Entry<String, Long> needed : census.sealed().entrySet()) {
            if (find(needed.getKey()) == null) {
                throw missing(needed.getKey(), needed.getValue() + " records");
            }
        }
        LOG.info(
                "store in {}: records by encryption key {}, records without encryption {}; {}",
                directory.root(),
                census.sealed(),
                census.plain(),
                current == null ? "goes on without encryption" : "goes on with key '" + current.id() + "'");
        return noted.limitedTo(census.sealed().keySet(), census.plain() > 0);
    }

    /** Looks whether there is another key for writing. The thread that writes calls this about once a second. */
    void refresh() {
        if (keys == null) {
            return;
        }
        try {
            EncryptionKey wanted = keys.current();
            EncryptionKey used = sealer == null ? null : sealer.key();
            if (wanted == null ? used != null : !wanted.equals(used)) {
                goOnWith(wanted);
            }
            problem = null;
        } catch (IOException | RuntimeException e) {
            String text = e.toString();
            if (!text.equals(problem)) {
                LOG.warn(
                        "store in {} cannot change its encryption key, and goes on as before: {}",
                        directory.root(),
                        text);
            }
            problem = text;
        }
    }

    private void goOnWith(@Nullable EncryptionKey wanted) throws IOException {
        EncryptionNote noted = note();
        EncryptionNote before =
                noted == null ? new EncryptionNote(EncryptionNote.Marker.random(), new TreeMap<>(), true) : noted;
        if (wanted == null) {
            directory.note(before.withPlain());
            sealer = null;
        } else if (before.agrees(wanted)) {
            directory.note(before.with(wanted));
            sealer = new RecordSealer(before.marker(), wanted);
        } else {
            throw new IOException("key '" + wanted.id()
                    + "' is not the one that was used under this id before; give each new key an id of its own");
        }
        LOG.info(
                "store in {} goes on {}",
                directory.root(),
                wanted == null ? "without encryption" : "with encryption key '" + wanted.id() + "'");
    }

    StoreException missing(String id, String what) {
        return new StoreException(
                Kind.KEY_MISSING,
                "store in " + directory.root() + " needs encryption key '" + id + "' for " + what + ", and "
                        + (keys == null ? "no encryption keys are given" : "it is not among the encryption keys")
                        + ": give it this key for reading, in a key file by a line behind the first one, and start the"
                        + " node again; nothing is lost");
    }

    StoreException newerForm(int version) {
        return new StoreException(
                Kind.NEWER_VERSION,
                "store in " + directory.root() + " has encrypted records of form " + version
                        + ", this version knows up to " + SealedRecord.VERSION
                        + ": start the version of the library that wrote it, or a later one");
    }

    StoreException corrupt(String cause) {
        return StoreErrors.corrupt(directory.root(), cause);
    }
}
