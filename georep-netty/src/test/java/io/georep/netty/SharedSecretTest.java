package io.georep.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.ConfigurationException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SharedSecretTest {
    private static final byte[] BYTES = "sixteen bytes ok".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] OTHER = "another 16 bytes".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path directory;

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    @Test
    void comesFromBytesTextAndFile() throws IOException {
        Path file = Files.writeString(directory.resolve("secret"), base64(BYTES) + "\n");

        SharedSecret secret = SharedSecret.of(BYTES);

        assertThat(secret.accepted()).containsExactly(BYTES);
        assertThat(SharedSecret.ofBase64(" " + base64(BYTES) + "\n")).isEqualTo(secret);
        assertThat(SharedSecret.ofFile(file)).isEqualTo(secret).hasSameHashCodeAs(secret);
        assertThat(SharedSecret.of(OTHER)).isNotEqualTo(secret);
    }

    @Test
    void twoSecretsAreProvedInTheirOrder() throws IOException {
        Path file = Files.writeString(directory.resolve("secret"), base64(BYTES) + "\n" + base64(OTHER) + "\n");

        SharedSecret both = SharedSecret.of(BYTES).alsoAccepting(SharedSecret.of(OTHER));

        assertThat(both.accepted()).containsExactly(BYTES, OTHER);
        assertThat(SharedSecret.ofFile(file)).isEqualTo(both).isNotEqualTo(SharedSecret.of(BYTES));
        assertThatThrownBy(() -> both.alsoAccepting(SharedSecret.of(new byte[20])))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("two");
        assertThatThrownBy(() -> SharedSecret.of(BYTES).alsoAccepting(SharedSecret.of(BYTES)))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("same");
    }

    @Test
    void laterChangesOfTheArrayDoNotChangeTheSecret() {
        byte[] bytes = BYTES.clone();
        SharedSecret secret = SharedSecret.of(bytes);

        bytes[0]++;

        assertThat(secret).isEqualTo(SharedSecret.of(BYTES));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "c2hvcnQ=", "this is not Base64 at all", "not-base64!", "a b c"})
    void whatIsNoSecretIsRefusedWithoutRepeatingIt(String text) throws IOException {
        Path file = Files.writeString(directory.resolve("secret"), text);

        assertThatThrownBy(() -> SharedSecret.ofBase64(text))
                .isInstanceOf(ConfigurationException.class)
                .hasNoCause()
                .satisfies(e -> assertThat(text.isEmpty() || !e.getMessage().contains(text))
                        .isTrue());
        assertThatThrownBy(() -> SharedSecret.ofFile(file))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(file.toString());
    }

    @Test
    void filesThatCannotBeOnesOfASecretAreRefused() throws IOException {
        Path large = Files.write(directory.resolve("large"), new byte[100_000]);

        assertThatThrownBy(() -> SharedSecret.ofFile(large)).hasMessageContaining("too large");
        assertThatThrownBy(() -> SharedSecret.ofFile(directory.resolve("missing")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("missing");
        assertThatThrownBy(() -> SharedSecret.of(new byte[15])).hasMessageContaining("16");
        assertThatThrownBy(() -> SharedSecret.of(new byte[2000])).hasMessageContaining("1024");
    }

    @Test
    void nothingShowsTheSecret() {
        SharedSecret secret = SharedSecret.of(BYTES).alsoAccepting(SharedSecret.of(OTHER));
        NettyTransportConfig config =
                NettyTransportConfig.builder().secret(secret).build();

        assertThat(secret).hasToString("SharedSecret");
        assertThat(config.toString()).contains("secret=SharedSecret");
        assertThat(config.toSettings().toString())
                .doesNotContain("sixteen")
                .doesNotContain(base64(BYTES))
                .doesNotContain(java.util.Arrays.toString(BYTES));
    }
}
