package io.georep.tally;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the page for authors of protocols quotes is in the tally, which is compiled, run and simulated. */
class WriteAProtocolTest {
    private static final Path PAGE = Path.of("..", "docs", "how-it-works", "write-a-protocol.md");
    private static final Path TALLY = Path.of("src", "test", "java", "io", "georep", "tally");
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```java\\n(.*?)^```$");

    /** Lines may break elsewhere, as the formatter wants it. */
    private static String words(String code) {
        return code.replaceAll("\\s+", "");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void quotesTheTally() throws IOException {
        String sources;
        try (Stream<Path> files = Files.list(TALLY)) {
            sources = files.map(WriteAProtocolTest::read)
                    .map(WriteAProtocolTest::words)
                    .collect(Collectors.joining("\n"));
        }
        List<String> blocks = BLOCK.matcher(read(PAGE))
                .results()
                .map(MatchResult::group)
                .map(block -> block.substring("```java".length(), block.length() - "```".length()))
                .toList();

        assertThat(blocks)
                .hasSizeGreaterThan(8)
                .allSatisfy(block -> assertThat(sources).contains(words(block)));
    }
}
