package io.georep.bench.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.georep.bench.process.DirectoryTree;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Applications of others, the samples in {@code docs/examples/samples}: they import the BOM, depend on the published artefacts and
 * on nothing else of this build, compile, start nodes and send. A dependency that is missing in a published pom fails them.
 *
 * <p>Maven runs them offline, in a process and a local repository of their own. Artefacts of others come from the local
 * repository of this build, which has them already; none of this build is installed there.
 */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class ConsumerIT {
    private static final Path APPLICATIONS = Path.of("src", "it", "consumer");
    private static final Path SAMPLES = Path.of("..", "docs", "examples", "samples");
    private static final Path WORK = Path.of("target", "consumer").toAbsolutePath();
    private static final Path REPOSITORY = WORK.resolve("repository");
    private static final Path LOG = WORK.resolve("maven.log");

    /** Optional dependencies, which an application adds or does without. */
    private static final Set<String> METERS =
            Set.of("io.micrometer.core.instrument", "io.micrometer.core.instrument.binder");

    private static final Pattern OPTIONAL_TO_THE_STARTER =
            Pattern.compile("io\\.micrometer\\.core\\.instrument\\..+|tools\\.jackson\\..+|org\\.apache\\.kafka\\..+"
                    + "|jakarta\\.servlet(\\.http)?|org\\.springframework\\.(http|messaging|transaction)"
                    + "|org\\.springframework\\.boot\\.(actuate|health|micrometer)\\..+"
                    + "|org\\.springframework\\.(http|integration|modulith|test|transaction|web)\\..+");

    private static final Pattern MISSING = Pattern.compile("-> (\\S+)\\.[A-Z]\\S* +not found");

    private static int exitValue;

    @BeforeAll
    static void buildAndRunThem() throws Exception {
        DirectoryTree.delete(WORK);
        copy(APPLICATIONS, WORK);
        for (String sample : List.of("plain", "spring")) {
            copy(SAMPLES.resolve(sample), WORK.resolve(sample));
        }
        // Otherwise Maven takes this project's folder for the root of the application.
        Files.createDirectories(WORK.resolve(".mvn"));
        Published.install(REPOSITORY);
        Process maven = new ProcessBuilder(command())
                .directory(WORK.toFile())
                .redirectErrorStream(true)
                .redirectOutput(LOG.toFile())
                .start();
        try {
            assertThat(maven.waitFor(3, TimeUnit.MINUTES))
                    .as("Maven is done; its log is %s", LOG)
                    .isTrue();
        } finally {
            maven.destroyForcibly();
        }
        exitValue = maven.exitValue();
    }

    @Test
    void whatIsPublishedIsEnoughToCompileStartAndSend() throws Exception {
        String said = Files.readString(LOG);

        assertThat(exitValue).as(said).isZero();
        for (Path report : List.of(report("plain", "TwoSitesTest"), report("spring", "GatewayTest"))) {
            assertThat(report).as(said).content().contains("tests=\"1\"", "skipped=\"0\"");
        }
    }

    /** Also what those applications do not run: TLS needs another part of Netty than a shared secret. */
    @Test
    void thePublishedPomsBringAllThatTheJarsUse() throws Exception {
        assertThat(missing("plain", "TwoSitesTest", "georep-core", "georep-netty"))
                .containsExactlyInAnyOrderElementsOf(METERS);
        assertThat(missing("spring", "GatewayTest", "georep-spring-boot-starter"))
                .containsAll(METERS)
                .allMatch(name -> METERS.contains(name)
                        || OPTIONAL_TO_THE_STARTER.matcher(name).matches());
    }

    /** With what the pages say that its {@code module-info} requires, and no option of the JVM. */
    @ParameterizedTest
    @ValueSource(ints = {17, 25})
    void aModuleWithADescriptorRuns(int version) throws Exception {
        Path modular = WORK.resolve("modular");
        Path modules = modular.resolve("classes");
        String modulePath = Stream.of(classPath("plain", "TwoSitesTest").split(File.pathSeparator))
                .filter(entry -> entry.endsWith(".jar"))
                .collect(Collectors.joining(File.pathSeparator));
        StringWriter out = new StringWriter();
        PrintWriter writer = new PrintWriter(out, true);
        int compiled = ToolProvider.findFirst("javac")
                .orElseThrow()
                .run(
                        writer,
                        writer,
                        "-proc:none",
                        "--release",
                        "17",
                        "--module-path",
                        modulePath,
                        "-d",
                        modules.toString(),
                        modular.resolve("module-info.java").toString(),
                        modular.resolve("example/Main.java").toString(),
                        WORK.resolve("plain/src/main/java/example/TwoSites.java")
                                .toString());
        assertThat(compiled).as(out.toString()).isZero();

        Path log = modular.resolve("java-" + version + ".log");
        Process java = new ProcessBuilder(
                        java(version).toString(),
                        "--module-path",
                        modulePath + File.pathSeparator + modules,
                        "--module",
                        "example.modular/example.Main",
                        modular.resolve("data-" + version).toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat(java.waitFor(2, TimeUnit.MINUTES))
                    .as("ends; its log is %s", log)
                    .isTrue();
        } finally {
            java.destroyForcibly();
        }
        assertThat(log).content().contains("forwarded: Your code is 1234");
    }

    private static Path java(int version) throws IOException {
        if (Runtime.version().feature() == version) {
            return Path.of(System.getProperty("java.home"), "bin", "java");
        }
        Path installed = Path.of("/usr/lib/jvm");
        List<Path> found = List.of();
        if (Files.isDirectory(installed)) {
            try (Stream<Path> homes = Files.list(installed)) {
                found = homes.filter(home -> home.getFileName().toString().matches("\\D*" + version + "(\\D.*)?"))
                        .map(home -> home.resolve("bin/java"))
                        .filter(Files::isExecutable)
                        .toList();
            }
        }
        assumeThat(found).as("a JDK %s in %s", version, installed).isNotEmpty();
        return found.get(0);
    }

    /** Packages that these jars use, and that are not on the class path of an application's test. */
    private static Set<String> missing(String application, String test, String... artifacts) throws IOException {
        List<String> arguments = new ArrayList<>(
                List.of("--multi-release", "17", "--missing-deps", "-cp", classPath(application, test)));
        for (String artifact : artifacts) {
            arguments.add(Published.jar(artifact).toString());
        }
        StringWriter out = new StringWriter();
        PrintWriter writer = new PrintWriter(out, true);
        ToolProvider.findFirst("jdeps").orElseThrow().run(writer, writer, arguments.toArray(String[]::new));
        Set<String> packages = new TreeSet<>();
        Matcher missing = MISSING.matcher(out.toString());
        while (missing.find()) {
            packages.add(missing.group(1));
        }
        return packages;
    }

    private static String classPath(String application, String test) throws IOException {
        Matcher classPath = Pattern.compile("name=\"surefire.test.class.path\" value=\"([^\"]*)\"")
                .matcher(Files.readString(report(application, test)));
        assertThat(classPath.find()).isTrue();
        return classPath.group(1);
    }

    private static Path report(String application, String test) {
        return WORK.resolve(application)
                .resolve(Path.of("target", "surefire-reports", "TEST-example." + test + ".xml"));
    }

    /** Without what somebody has built there. */
    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path relative = from.relativize(file);
                if (!relative.startsWith("target")) {
                    Path copy = to.resolve(relative.toString());
                    Files.createDirectories(copy.getParent());
                    Files.copy(file, copy);
                }
            }
        }
    }

    private static List<String> command() {
        List<String> command = new ArrayList<>(List.of(
                Path.of(Published.property("georep.maven.home"), "bin", "mvn").toString(),
                "--batch-mode",
                "--no-transfer-progress",
                "--offline",
                "test",
                "-Dmaven.repo.local=" + REPOSITORY,
                "-Dmaven.repo.local.tail=" + Published.property("georep.maven.repository"),
                "-Dgeorep.version=" + Published.version()));
        for (String version :
                Published.property("georep.maven.versions").strip().split("\\s+")) {
            command.add("-D" + version);
        }
        return command;
    }
}
