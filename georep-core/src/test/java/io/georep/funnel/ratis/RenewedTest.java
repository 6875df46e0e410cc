package io.georep.funnel.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.ConfigurationException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RenewedTest {
    private final Deque<String> readings = new ArrayDeque<>();

    private String read() {
        String next = readings.remove();
        if (next.startsWith("failure")) {
            throw new ConfigurationException(next);
        }
        return next;
    }

    @Test
    void whatCannotBeReadAgainStaysAsItWas() {
        readings.addAll(List.of("one", "failure", "failure", "two"));
        Supplier<String> renewed = new Renewed<>("word", this::read, Duration.ZERO);

        assertThat(List.of(renewed.get(), renewed.get(), renewed.get())).containsExactly("one", "one", "two");
    }

    @Test
    void itIsNotReadMoreOftenThanAsked() {
        readings.addAll(List.of("one", "two"));
        Supplier<String> renewed = new Renewed<>("word", this::read, Duration.ofDays(1));

        assertThat(List.of(renewed.get(), renewed.get())).containsExactly("one", "one");
    }

    @Test
    void whatCannotBeReadAtFirstIsAnError() {
        readings.add("failure");

        assertThatThrownBy(() -> new Renewed<>("word", this::read, Duration.ZERO))
                .isInstanceOf(ConfigurationException.class);
    }

    @Test
    void filesThatHoldSomethingElseAreNamed(@TempDir Path directory) throws Exception {
        Path nothing = directory.resolve("nothing.pem");
        Path text = Files.writeString(directory.resolve("text.pem"), "no certificate");

        assertThatThrownBy(() -> new PemFiles(text, nothing, text).keys())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("nothing.pem cannot be read");
        assertThatThrownBy(() -> new PemFiles(text, text, text).authorities())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("text.pem cannot be used");
    }
}
