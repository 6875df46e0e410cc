package io.georep.spring.boot.actuate.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the files of the console may hold. */
class ConsoleFilesTest {
    private static final Path DIRECTORY =
            Path.of("src", "main", "resources", "io", "georep", "spring", "boot", "actuate", "console");
    private static final int BYTES_MAX = 150 * 1024;

    /** Anything from elsewhere; the one address is the name of a vocabulary. */
    private static final Pattern ELSEWHERE = Pattern.compile("https?://(?!www\\.w3\\.org/2000/svg)|[\"'(]//|@import");

    private static final Pattern INLINE =
            Pattern.compile("(?i)<script(?![^>]*\\ssrc=)|<style|\\sstyle\\s*=|\\son[a-z]+\\s*=\\s*[\"']|javascript:");

    private static final Pattern AS_HTML = Pattern.compile("innerHTML|outerHTML|insertAdjacentHTML|document\\.write"
            + "|DOMParser|setHTML|createContextualFragment|\\beval\\b|new Function|\\.srcdoc|\\.style\\b|'style'");

    private static Map<String, String> files() {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.list(DIRECTORY)) {
            for (Path file : all.toList()) {
                files.put(file.getFileName().toString(), Files.readString(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return files;
    }

    @Test
    void allAreServedAndSmall() {
        Map<String, String> files = files();

        assertThat(files.keySet()).isEqualTo(new TreeSet<>(ConsoleFiles.TYPES.keySet()));
        assertThat(files.values().stream().mapToInt(String::length).sum()).isLessThan(BYTES_MAX);
    }

    @Test
    void nothingIsLoadedFromElsewhere() {
        assertThat(files()).allSatisfy((name, text) -> assertThat(text).as(name).doesNotContainPattern(ELSEWHERE));
    }

    @Test
    void thePageHasNoScriptAndNoStyleOfItsOwn() {
        assertThat(files().get("index.html")).doesNotContainPattern(INLINE);
        assertThat(files().get("icon.svg")).doesNotContainPattern(INLINE);
    }

    @Test
    void scriptsPutDataInAsTextOnly() {
        assertThat(files()).allSatisfy((name, text) -> {
            if (name.endsWith(".js")) {
                assertThat(text).as(name).doesNotContainPattern(AS_HTML);
            }
        });
    }

    @Test
    void thePatternsFindWhatTheyAreFor() {
        assertThat("<script>x</script>").containsPattern(INLINE);
        assertThat("<p onclick=\"x()\">").containsPattern(INLINE);
        assertThat("<p style = 'x'>").containsPattern(INLINE);
        assertThat("<script type=\"module\" src=\"console.js\"></script>").doesNotContainPattern(INLINE);
        assertThat("fetch('//x.example/')").containsPattern(ELSEWHERE);
        assertThat("a.innerHTML = b").containsPattern(AS_HTML);
    }
}
