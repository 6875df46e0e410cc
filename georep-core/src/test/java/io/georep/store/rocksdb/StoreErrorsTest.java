package io.georep.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.StoreException;
import io.georep.model.StoreException.Kind;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/** What errors of the library below are taken for, which decides whether the node goes on. */
class StoreErrorsTest {
    /** The library tells some errors of the disk by words only. */
    @ParameterizedTest
    @CsvSource({
        "IOError, None, 'While appending to file: 000004.log: No space left on device', FULL",
        "IOError, None, 'While appending to file: 000004.log: Disk quota exceeded', FULL",
        "IOError, NoSpace, '', FULL",
        "IOError, None, 'While lock file: LOCK: Resource temporarily unavailable', LOCKED",
        "IOError, None, 'While open a file: 000007.sst: No such file or directory', CORRUPT",
        "IOError, None, 'While fsync: Input/output error', IO",
        "Corruption, None, 'block checksum mismatch', CORRUPT",
        "Busy, None, '', IO"
    })
    void errorsOfTheDiskAreToldApart(Status.Code code, Status.SubCode subCode, String text, Kind kind) {
        RocksDBException failure = new RocksDBException(text, new Status(code, subCode, text));

        StoreException told = StoreErrors.of(Path.of("data"), "write", failure);

        assertThat(told.kind()).isEqualTo(kind);
        assertThat(told).hasMessageContaining("data").hasCause(failure);
        assertThat(StoreErrors.isNoSpace(failure)).isEqualTo(kind == Kind.FULL);
    }
}
