package io.georep.examples.host;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;

/**
 * The jar of the host, extracted, with an archive of the classes that a first start loads: so a host starts in half the processor
 * time, and tests start many.
 */
final class ExtractedHost {
    /** Options of all hosts in tests. An archive suits JVMs with these options. */
    static final List<String> JVM = List.of("-Xmx160m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    /** The jar that users run. */
    static final Path JAR = Path.of(System.getProperty("host.jar", "target/connector-host-0.1.0-SNAPSHOT.jar"));

    private static final Path DIRECTORY = Path.of("target", "extracted-host").toAbsolutePath();
    private static final Path CLASSES = DIRECTORY.resolve("classes.jsa");
    private static final Path MADE_OF = DIRECTORY.resolve("made-of");
    private static final long SECONDS_MAX = 120;

    private ExtractedHost() {}

    /** Options of the JVM, and what it is to run. */
    static synchronized List<String> program() {
        Path jar = DIRECTORY.resolve(JAR.getFileName());
        try {
            Files.createDirectories(DIRECTORY);
            // Test classes run in two processes: the second one finds everything done.
            try (FileChannel lock = FileChannel.open(
                    DIRECTORY.resolveSibling("extracted-host.lock"),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE)) {
                lock.lock();
                String made = checksum();
                if (!Files.exists(MADE_OF) || !Files.readString(MADE_OF).equals(made)) {
                    extract(jar);
                    startOnce(jar);
                    Files.writeString(MADE_OF, made);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return List.of("-XX:SharedArchiveFile=" + CLASSES, "-jar", jar.toString());
    }

    /** Of the jar: all jars of a version say that they were made at the same time. */
    private static String checksum() throws IOException {
        CRC32C checksum = new CRC32C();
        try (InputStream in = new CheckedInputStream(Files.newInputStream(JAR), checksum)) {
            in.transferTo(OutputStream.nullOutputStream());
        }
        return Long.toHexString(checksum.getValue());
    }

    private static void extract(Path jar) throws IOException {
        run(
                jar,
                List.of(
                        "-Djarmode=tools",
                        "-jar",
                        JAR.toString(),
                        "extract",
                        "--force",
                        "--destination",
                        DIRECTORY.toString()));
    }

    /** A start up to where the host would begin to work. */
    private static void startOnce(Path jar) throws IOException {
        Path data = Files.createTempDirectory(DIRECTORY, "first");
        List<String> words = new ArrayList<>(JVM);
        words.addAll(List.of(
                "-XX:ArchiveClassesAtExit=" + CLASSES,
                "-Dspring.context.exit=onRefresh",
                "-jar",
                jar.toString(),
                "--georep.node-id=first",
                "--georep.port=0",
                "--georep.data-dir=" + data));
        run(CLASSES, words);
    }

    /** Whatever its exit code is, it must leave this file. */
    private static void run(Path wanted, List<String> words) throws IOException {
        Files.deleteIfExists(wanted);
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(words);
        Path log = DIRECTORY.resolveSibling("extracted-host.log");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS) || !Files.exists(wanted)) {
                throw new IllegalStateException(String.join(" ", command) + " failed, see " + log);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        } finally {
            process.destroyForcibly();
        }
    }
}
