package io.georep.store.rocksdb;

import io.georep.model.StoreException;
import io.georep.model.StoreException.Kind;
import java.nio.file.Path;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/** Turns errors of RocksDB into errors that name the directory, the cause and what to do. */
final class StoreErrors {
    private static final String REPLACE =
            "restore the directory from a copy, or, if the other owners of its entries are"
                    + " up, move it away and start this node with an empty directory";

    private StoreErrors() {}

    static StoreException corrupt(Path directory, String cause) {
        return new StoreException(Kind.CORRUPT, "store in " + directory + " is damaged: " + cause + "; " + REPLACE);
    }

    static StoreException of(Path directory, String attempt, RocksDBException failure) {
        String cause = text(failure);
        return switch (kind(failure)) {
            case CORRUPT ->
                new StoreException(
                        Kind.CORRUPT,
                        "store in " + directory + " is damaged, it could not " + attempt + ": " + cause + "; "
                                + REPLACE,
                        failure);
            case FULL ->
                new StoreException(
                        Kind.FULL,
                        "no space left for the store in " + directory + ", it could not " + attempt + ": " + cause
                                + "; free space on this disk or move the directory to a larger one",
                        failure);
            case LOCKED ->
                new StoreException(
                        Kind.LOCKED,
                        "store in " + directory + " is open elsewhere: " + cause + "; stop the other process",
                        failure);
            default ->
                new StoreException(
                        Kind.IO,
                        "store in " + directory + " could not " + attempt + ": " + cause
                                + "; check the disk and the system's log, then start the node again",
                        failure);
        };
    }

    static boolean isNoSpace(RocksDBException failure) {
        Status status = failure.getStatus();
        return (status != null && status.getSubCode() == Status.SubCode.NoSpace)
                || text(failure).contains("No space left")
                || text(failure).contains("Disk quota exceeded");
    }

    /** Returns whether a write was not made because table files cannot be written fast enough. */
    static boolean isStall(RocksDBException failure) {
        Status status = failure.getStatus();
        return status != null && status.getCode() == Status.Code.Incomplete;
    }

    private static Kind kind(RocksDBException failure) {
        Status status = failure.getStatus();
        String text = text(failure);
        if (isNoSpace(failure)) {
            return Kind.FULL;
        }
        if (text.contains("lock hold by current process") || text.contains("While lock file")) {
            return Kind.LOCKED;
        }
        Status.Code code = status == null ? Status.Code.Undefined : status.getCode();
        return switch (code) {
            case Corruption -> Kind.CORRUPT;
            // Opening reports these if CURRENT is missing, or names files that are missing.
            case InvalidArgument, NotFound -> Kind.CORRUPT;
            case IOError -> text.contains("No such file") ? Kind.CORRUPT : Kind.IO;
            default -> Kind.IO;
        };
    }

    private static String text(RocksDBException failure) {
        return String.valueOf(failure.getMessage());
    }
}
