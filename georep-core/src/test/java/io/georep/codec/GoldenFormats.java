package io.georep.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.georep.model.Slice;
import io.georep.protocol.HostedProtocol;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Golden bytes: one example of each format, as hexadecimal digits in {@code src/test/resources/golden}, a line {@code name,
 * version = bytes} each. What is written now must be those bytes, and those bytes must be read as the same value. Lines of
 * lower versions stay: they must be readable still.
 *
 * <p>{@code -Dgeorep.golden=rewrite} writes the lines of the present versions anew and leaves those of lower ones alone.
 */
public abstract class GoldenFormats {
    private static final boolean REWRITE = "rewrite".equals(System.getProperty("georep.golden"));
    private static final String TO_REWRITE = "./mvnw -pl <module> test -Dtest='*GoldenTest' -Dgeorep.golden=rewrite";

    /**
     * One example.
     *
     * @param name of the format and of what is special about the example
     * @param version of the format today
     * @param bytes what is written today for the value
     * @param value what those bytes say, or a text that describes it
     * @param read reads such bytes
     */
    public record Format(String name, int version, byte[] bytes, Object value, Function<byte[], Object> read) {
        private String key() {
            return name + ", " + version;
        }
    }

    /** An example with a value that knows when it equals another. */
    protected static Format format(
            String name, int version, Slice bytes, Object value, Function<BinReader, Object> read) {
        return new Format(name, version, bytes.toArray(), value, all -> read.apply(new BinReader(Slice.of(all))));
    }

    /** Name of the file, without its ending. */
    protected abstract String file();

    /** The examples, in the order of the file. */
    protected abstract List<Format> formats();

    @TestFactory
    Stream<DynamicTest> bytesAreThoseOfTheRelease() {
        Map<String, String> golden = golden();
        return formats().stream()
                .map(format -> DynamicTest.dynamicTest(format.key(), () -> check(format, golden.get(format.key()))));
    }

    private static void check(Format format, String golden) {
        String now = HexFormat.of().formatHex(format.bytes());
        if (golden == null) {
            fail(
                    "There are no golden bytes of '%s' in version %d. If the format is new, or its version was raised: write"
                            + " them with %s",
                    format.name(), format.version(), TO_REWRITE);
        }
        assertThat(now)
                .as(
                        "The bytes of '%s' have changed, and its version has not: what was released as version %d cannot"
                                + " read them any more. Raise the version, go on reading the old form (and writing it to"
                                + " nodes of the lower version), change docs/how-it-works/wire-format.md and CHANGELOG.md, then add"
                                + " the new bytes with %s. Only what was never released may be rewritten in place",
                        format.name(), format.version(), TO_REWRITE)
                .isEqualTo(golden);
        assertThat(format.read().apply(HexFormat.of().parseHex(golden)))
                .as("what the golden bytes of '%s' say", format.name())
                .isEqualTo(format.value());
    }

    @Test
    void bytesOfLowerVersionsAreStillRead() {
        Map<String, String> golden = golden();
        for (Format format : formats()) {
            for (int version = 0; version < format.version(); version++) {
                String line = golden.get(format.name() + ", " + version);
                if (line != null) {
                    assertThat(format.read().apply(HexFormat.of().parseHex(line)))
                            .as("what the bytes of '%s' of version %d say", format.name(), version)
                            .isNotNull();
                }
            }
        }
    }

    @Test
    void everyLineIsOfAFormat() {
        List<String> names = formats().stream().map(Format::name).toList();

        assertThat(names).doesNotHaveDuplicates();
        assertThat(golden().keySet())
                .as("lines of %s without a format: the format lost its example, or the line is to go", path())
                .allMatch(key -> names.contains(key.substring(0, key.lastIndexOf(", "))));
    }

    /** Fails unless each type of message that the protocol knows has an example whose name begins with the type's number. */
    protected final void checkTypes(HostedProtocol<?> protocol) {
        List<String> names = formats().stream().map(Format::name).toList();
        List<Integer> missing = IntStream.range(0, 256)
                .filter(protocol::knows)
                .filter(type -> names.stream().noneMatch(name -> name.startsWith(type + " ")))
                .boxed()
                .toList();

        assertThat(missing).as("types of messages without golden bytes").isEmpty();
    }

    private Path path() {
        return Path.of("src/test/resources/golden", file() + ".txt");
    }

    private Map<String, String> golden() {
        Map<String, String> lines = new LinkedHashMap<>();
        try {
            for (String line : Files.exists(path()) ? Files.readAllLines(path()) : List.<String>of()) {
                int equals = line.lastIndexOf(" = ");
                if (!line.startsWith("#") && equals > 0) {
                    lines.put(
                            line.substring(0, equals),
                            line.substring(equals + 3).replace(" ", ""));
                }
            }
            return REWRITE ? rewritten(lines) : lines;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Map<String, String> rewritten(Map<String, String> old) throws IOException {
        Map<String, String> lines = new LinkedHashMap<>();
        for (Format format : formats()) {
            for (int version = 0; version < format.version(); version++) {
                String key = format.name() + ", " + version;
                if (old.containsKey(key)) {
                    lines.put(key, old.get(key));
                }
            }
            lines.put(format.key(), HexFormat.of().formatHex(format.bytes()));
        }
        List<String> text = new ArrayList<>();
        text.add("# Written by " + getClass().getSimpleName()
                + " with -Dgeorep.golden=rewrite: format, version = bytes");
        lines.forEach((key, hex) -> text.add(key + " = " + hex));
        Files.createDirectories(path().getParent());
        Files.write(path(), text);
        return lines;
    }
}
