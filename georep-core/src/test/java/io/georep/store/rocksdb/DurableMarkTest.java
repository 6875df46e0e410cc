package io.georep.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DurableMarkTest {
    private static final long THIS_BOOT = 7;
    private static final int SECOND_SLOT = 4096;

    @TempDir
    Path data;

    private Path file;

    @BeforeEach
    void nameTheFile() {
        file = data.resolve("mark");
    }

    @Test
    void remembersTheLastPromise() throws Exception {
        write(mark -> {
            mark.reset(5);
            mark.advance(true, 6);
            mark.advance(true, 7);
        });

        assertThat(read(THIS_BOOT)).isEqualTo(7);
    }

    @Test
    void isUnreadableWhenNew() throws Exception {
        assertThat(read(THIS_BOOT)).isNull();
    }

    @Test
    void fallsBackToTheSlotBeforeWhenAWriteIsTorn() throws Exception {
        write(mark -> {
            mark.reset(5);
            mark.advance(true, 6);
        });
        StoreImage.flip(file, 12, 1);

        assertThat(read(THIS_BOOT)).isEqualTo(5);

        StoreImage.flip(file, SECOND_SLOT + 12, 1);
        assertThat(read(THIS_BOOT)).isNull();
    }

    @Test
    void promisesInThePageCacheEndWithTheMachine() throws Exception {
        write(mark -> {
            mark.reset(5);
            mark.advance(false, 6);
        });

        assertThat(read(THIS_BOOT)).isEqualTo(6);
        assertThat(read(THIS_BOOT + 1)).isEqualTo(5);
    }

    @Test
    void promisesInThePageCacheDoNotBindWhereRestartsCannotBeTold() throws Exception {
        try (DurableMark mark = DurableMark.open(file, 0)) {
            mark.reset(5);
            mark.advance(false, 6);
        }

        assertThat(read(0)).isEqualTo(5);
    }

    @Test
    void noticesAManifestThatLostItsEndOrChanged() throws Exception {
        Path manifest = Files.writeString(data.resolve("MANIFEST-000005"), "some edits");
        Files.writeString(data.resolve("CURRENT"), "MANIFEST-000005\n");
        write(mark -> {
            mark.look(data);
            mark.reset(1);
        });
        ManifestPrefix prefix = promise(THIS_BOOT).manifest();
        assertThat(prefix.isKeptIn(data)).isTrue();

        Files.writeString(manifest, "some edits and more");
        assertThat(prefix.isKeptIn(data)).isTrue();
        Files.writeString(manifest, "some edit");
        assertThat(prefix.isKeptIn(data)).isFalse();
        Files.writeString(manifest, "some edicts");
        assertThat(prefix.isKeptIn(data)).isFalse();
        Files.delete(manifest);
        assertThat(prefix.isKeptIn(data)).isFalse();
    }

    @Test
    void acceptsALaterManifestAndRefusesAnEarlierOne() throws Exception {
        ManifestPrefix prefix = new ManifestPrefix(5, 100, 0);
        Files.writeString(data.resolve("CURRENT"), "MANIFEST-000006\n");
        assertThat(prefix.isKeptIn(data)).isTrue();

        Files.writeString(data.resolve("CURRENT"), "MANIFEST-000004\n");
        assertThat(prefix.isKeptIn(data)).isFalse();
        Files.writeString(data.resolve("CURRENT"), "MANIFEST+000006\n");
        assertThat(prefix.isKeptIn(data)).isFalse();
    }

    private interface Writing {
        void to(DurableMark mark) throws IOException;
    }

    private void write(Writing writing) throws IOException {
        try (DurableMark mark = DurableMark.open(file, THIS_BOOT)) {
            writing.to(mark);
        }
    }

    private Long read(long boot) throws IOException {
        DurableMark.Promise promise = promise(boot);
        return promise == null ? null : promise.writeNumber();
    }

    private DurableMark.Promise promise(long boot) throws IOException {
        try (DurableMark mark = DurableMark.open(file, boot)) {
            return mark.read();
        }
    }
}
