package io.georep.spring.connect;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A reference in a setting stands for its value, or the start fails; it is never taken for another text. */
class SettingReferencesTest {
    @TempDir
    Path directory;

    private final List<String> faults = new ArrayList<>();

    private String resolved(String value) {
        // Whatever a connector calls its own variables, the environment may have properties of that name.
        Map<String, String> properties =
                Map.of("DB_PASSWORD", "p$1${env:PATH}", "topic", "no", "source.table", "no", "db.user", "app");
        return String.valueOf(new SettingReferences(properties::get)
                .resolve("c", Map.of("key", value), faults)
                .get("key"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"${topic}", "${source.table}-${key}", "plain", "", "$", "${", "a$b{c}", "{{timestamp:unit=yyyy}}"
            })
    void whatIsTheConnectorsOwnStays(String value) {
        assertThat(resolved(value)).isEqualTo(value);
        assertThat(faults).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "${DB_PASSWORD},p$1${env:PATH}",
        "${DB_PASSWORD:other},p$1${env:PATH}",
        "${DB_USER:app},app",
        "${DB_URL:jdbc:h2:mem},jdbc:h2:mem",
        "<${spring:db.user}>,<app>",
        "${DB_USER:},''"
    })
    void propertiesOfTheApplicationAreTaken(String value, String expected) {
        assertThat(resolved(value)).isEqualTo(expected);
        assertThat(faults).isEmpty();
    }

    @Test
    void kafkasProvidersAreTaken() throws Exception {
        Path file = Files.writeString(directory.resolve("db.properties"), "password=secret: 1\n");
        Files.writeString(directory.resolve("token"), "t-1");

        assertThat(resolved("${env:PATH}")).isEqualTo(System.getenv("PATH"));
        assertThat(resolved("<${file:" + file + ":password}>")).isEqualTo("<secret: 1>");
        assertThat(resolved("${directory:" + directory + ":token}")).isEqualTo("t-1");
        assertThat(faults).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "${env:GEOREP_NO_SUCH_NAME}",
                "${file:/nowhere/at/all:password}",
                "${directory:/nowhere/at/all:token}",
                "${vault:secret/db:password}",
                "${db.password:none}",
                "${spring:no.such}",
                "${NO_SUCH_PASSWORD}",
                "${NO_SUCH_PASSWORD:${DB_PASSWORD}}"
            })
    void whatStandsForNothingFailsByName(String value) {
        resolved("x" + value);

        assertThat(faults).singleElement().asString().startsWith("georep.connectors.c.key has ");
    }
}
