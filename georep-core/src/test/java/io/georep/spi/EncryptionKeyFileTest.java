package io.georep.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.ConfigurationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Encryption keys, and the file they are in. */
class EncryptionKeyFileTest {
    private static final String FIRST = text(32, 1);
    private static final String SECOND = text(32, 2);

    @TempDir
    Path temporary;

    private final AtomicLong nanos = new AtomicLong();

    @Test
    void theFirstKeyIsForWritingAndAllAreForReading() throws IOException {
        EncryptionKeys keys = keys("# a comment\n\n  b \t " + SECOND + "\na " + FIRST);

        assertThat(keys.current()).isEqualTo(EncryptionKey.ofBase64("b", SECOND));
        assertThat(keys.find("b")).isEqualTo(keys.current());
        assertThat(keys.find("a")).isEqualTo(EncryptionKey.ofBase64("a", FIRST));
        assertThat(keys.find("c")).isNull();
        assertThat(keys.readingOnly().current()).isNull();
        assertThat(keys.readingOnly().find("a")).isNotNull();
    }

    @Test
    void aNewKeyIsFoundWithoutARestartAndOldOnesStayForReading() throws IOException {
        EncryptionKeyFile keys = keys("a " + FIRST);
        write("b " + SECOND);
        assertThat(keys.current().id()).isEqualTo("a");

        nanos.addAndGet(30_000_000_000L);

        assertThat(keys.current().id()).isEqualTo("b");
        assertThat(keys.find("a")).as("gone from the file").isNotNull();
    }

    @Test
    void aFileThatCannotBeUsedChangesNothing() throws IOException {
        EncryptionKeyFile keys = keys("a " + FIRST);
        write("b " + text(31, 2));
        nanos.addAndGet(30_000_000_000L);
        assertThat(keys.current().id()).isEqualTo("a");
        assertThat(keys.problem()).contains("key 'b' has 31 bytes, needed are 32");

        write("a " + SECOND);
        assertThatThrownBy(keys::reload)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("'a' in file")
                .hasMessageContaining("give the new key an id of its own, and put the old one back");
        assertThat(keys.current()).isEqualTo(EncryptionKey.ofBase64("a", FIRST));

        write("b " + SECOND);
        keys.reload();
        assertThat(keys.current().id()).isEqualTo("b");
        assertThat(keys.problem()).isNull();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    k 16BYTES                | line 1: encryption key 'k' has 16 bytes, needed are 32: draw one with 'openssl rand -base64 32'
                    k 33BYTES                | line 1: encryption key 'k' has 33 bytes, needed are 32: draw one with 'openssl rand -base64 32'
                    k not-base64!            | line 1: encryption key 'k' is not Base64: draw one with 'openssl rand -base64 32'
                    32BYTES                  | line 1 has 1 words, needed are an id and a key
                    k 32BYTES more           | line 1 has 3 words, needed are an id and a key
                    32BYTES k                | line 1: the id of an encryption key is not valid
                    k/2 32BYTES              | line 1: the id of an encryption key is not valid: use 1 to 32 letters
                    k 32BYTES;k 32BYTES      | two encryption keys have the id 'k'
                    # nothing                | there is no encryption key in it
                    """)
    void aFileThatIsNotRightIsRefusedWithoutShowingIt(String content, String message) throws IOException {
        String text = content.replace("16BYTES", text(16, 3))
                .replace("33BYTES", text(33, 3))
                .replace("32BYTES", FIRST)
                .replace(';', '\n');

        assertThatThrownBy(() -> keys(text))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(file().toString())
                .hasMessageContaining(message)
                .hasMessageNotContaining(FIRST)
                .hasMessageNotContaining(text(16, 3))
                .hasMessageNotContaining(text(33, 3))
                .hasMessageNotContaining("not-base64!")
                .hasNoCause();
    }

    @Test
    void aFileThatIsMissingOrSomethingElseIsNamed() throws IOException {
        assertThatThrownBy(() -> EncryptionKeys.ofFile(file()))
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("encryption keys cannot be read from file " + file() + ": there is no such file");
        write("x".repeat(65 * 1024));
        assertThatThrownBy(() -> EncryptionKeys.ofFile(file())).hasMessageContaining("too large for encryption keys");
    }

    @Test
    void nothingPrintsAKey() throws IOException {
        EncryptionKeyFile keys = keys("a " + FIRST);

        assertThat(keys.current()).hasToString("EncryptionKey a");
        assertThat(keys).hasToString("encryption keys in " + file());
        assertThat(keys.readingOnly()).hasToString("encryption keys in " + file() + ", for reading only");
        assertThat(EncryptionKeys.of(keys.current())).hasToString("encryption keys [a]");
    }

    private static String text(int bytes, int seed) {
        byte[] key = new byte[bytes];
        Arrays.fill(key, (byte) seed);
        return Base64.getEncoder().encodeToString(key);
    }

    private EncryptionKeyFile keys(String text) throws IOException {
        write(text);
        return new EncryptionKeyFile(file(), new Ticker() {
            @Override
            public long nanos() {
                return nanos.get();
            }

            @Override
            public long wallMillis() {
                return 0;
            }
        });
    }

    private void write(String text) throws IOException {
        Files.writeString(file(), text);
    }

    private Path file() {
        return temporary.resolve("keys");
    }
}
