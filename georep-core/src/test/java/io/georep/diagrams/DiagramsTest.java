package io.georep.diagrams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The pictures of docs/diagrams are made from the texts beside them; {@code -Dgeorep.golden=rewrite} makes them anew. */
class DiagramsTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path DIAGRAMS = ROOT.resolve("docs/diagrams");
    private static final Pattern PACKAGE = Pattern.compile("io\\.georep[.a-z]*");

    private static List<Path> texts() {
        try (Stream<Path> files = Files.list(DIAGRAMS)) {
            return files.filter(file -> file.toString().endsWith(".txt"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String picture(Path text) throws IOException {
        String source = Files.readString(text);
        return source.contains("\nrow: ") ? StackDiagram.svg(source) : SequenceDiagram.svg(source);
    }

    @Test
    void eachPictureIsMadeFromItsText() throws IOException {
        assertThat(texts()).hasSize(4);
        for (Path text : texts()) {
            Path file = Path.of(text.toString().replace(".txt", ".svg"));
            if ("rewrite".equals(System.getProperty("georep.golden"))) {
                Files.writeString(file, picture(text));
            }
            assertThat(file).hasContent(picture(text));
        }
    }

    @Test
    void eachPictureIsOnAPage() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
            StringBuilder pages = new StringBuilder(Files.readString(ROOT.resolve("README.md")));
            for (Path page :
                    files.filter(file -> file.toString().endsWith(".md")).toList()) {
                pages.append(Files.readString(page));
            }
            for (Path text : texts()) {
                assertThat(pages)
                        .contains("diagrams/" + text.getFileName().toString().replace(".txt", ".svg"));
            }
        }
    }

    /** A picture loads nothing, and runs nothing. */
    @Test
    void picturesAreInert() throws IOException {
        for (Path text : texts()) {
            assertThat(picture(text)).doesNotContain("<script", "href", "url(", "@import");
        }
    }

    @Test
    void roomsAreNamedAsTheirPackages() throws IOException {
        String rooms = Files.readString(DIAGRAMS.resolve("rooms.txt"));
        List<Path> sources = List.of(
                Path.of("src/main/java"),
                ROOT.resolve("georep-netty/src/main/java"),
                ROOT.resolve("georep-spring-boot-starter/src/main/java"));
        assertThat(PACKAGE.matcher(rooms).results().map(found -> found.group().replace('.', '/')))
                .hasSizeGreaterThan(10)
                .allMatch(name -> sources.stream().anyMatch(source -> Files.isDirectory(source.resolve(name))));
    }

    @Test
    void mistakesAreNamed() {
        assertThatThrownBy(() -> SequenceDiagram.svg("title: t\nlanes: a | b\nunder: x | y\na -> c: hello"))
                .hasMessageContaining("'c' is none of [a, b]");
        assertThatThrownBy(
                        () -> SequenceDiagram.svg("title: t\nlanes: a | b\nunder: x | y\na -> b: " + "long ".repeat(9)))
                .hasMessageContaining("too long for its place");
        assertThatThrownBy(() -> SequenceDiagram.svg("title: t\nlanes: a | b\nunder: x | y\nwhat?"))
                .hasMessageContaining("not understood: what?");
    }
}
