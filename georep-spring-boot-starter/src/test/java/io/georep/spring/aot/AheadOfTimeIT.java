package io.georep.spring.aot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.spi.TransportFactory;
import io.georep.spring.aot.AheadOfTimeApplication.Consumer;
import io.georep.spring.aot.AheadOfTimeApplication.Invoice;
import io.georep.spring.aot.AheadOfTimeApplication.Letter;
import io.georep.spring.aot.AheadOfTimeApplication.Line;
import io.georep.spring.aot.AheadOfTimeApplication.Order;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.apache.kafka.connect.file.FileStreamSinkConnector;
import org.apache.kafka.connect.file.FileStreamSinkTask;
import org.apache.kafka.connect.file.FileStreamSourceConnector;
import org.apache.kafka.connect.sink.SinkConnector;
import org.apache.kafka.connect.storage.SimpleHeaderConverter;
import org.apache.kafka.connect.storage.StringConverter;
import org.apache.kafka.connect.transforms.DropHeaders;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import org.rocksdb.util.Environment;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.ReflectionHintsPredicates;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.SpringApplicationAotProcessor;
import org.springframework.context.aot.AbstractAotProcessor;

/** What a build for a native image does, up to the image itself: generated code runs on the JVM, and hints are complete. */
class AheadOfTimeIT {
    private static final long SECONDS_MAX = 180;

    @TempDir
    static Path directory;

    private static RuntimeHints hints;

    /** Keeps the hints it would write. */
    private static final class Processor extends SpringApplicationAotProcessor {
        Processor(Settings settings) {
            super(AheadOfTimeApplication.class, settings, new String[0]);
        }

        @Override
        protected void writeHints(RuntimeHints all) {
            hints = all;
            super.writeHints(all);
        }
    }

    @BeforeAll
    static void process() {
        new Processor(AbstractAotProcessor.Settings.builder()
                        .sourceOutput(directory.resolve("sources"))
                        .resourceOutput(directory.resolve("resources"))
                        .classOutput(directory.resolve("classes"))
                        .groupId("io.georep")
                        .artifactId("ahead-of-time")
                        .build())
                .process();
    }

    @Test
    void runsFromGeneratedCode() throws Exception {
        compile();

        Path log = directory.resolve("log.txt");
        Process process = new ProcessBuilder(command())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        boolean ended = process.waitFor(SECONDS_MAX, TimeUnit.SECONDS);
        process.destroyForcibly();

        String output = Files.readString(log);
        assertThat(ended).as(output).isTrue();
        assertThat(output).contains("holds: the connector forwards", "holds: the heir forwards", "DONE");
        assertThat(process.exitValue()).as(output).isZero();
    }

    @Test
    void letsTheApplicationCallListenersAndWritePayloads() throws Exception {
        ReflectionHintsPredicates reflection = RuntimeHintsPredicates.reflection();
        for (String method : List.of("forward", "adopted", "mail")) {
            assertThat(reflection.onMethodInvocation(Consumer.class, method))
                    .as(method)
                    .accepts(hints);
        }
        for (Class<?> payload : List.of(Order.class, Line.class, Letter.class, Invoice.class)) {
            assertThat(reflection.onType(payload)).as(payload.getName()).accepts(hints);
            assertThat(reflection.onConstructorInvocation(payload.getDeclaredConstructors()[0]))
                    .as(payload.getName())
                    .accepts(hints);
            for (RecordComponent component : payload.getRecordComponents()) {
                assertThat(reflection.onMethodInvocation(component.getAccessor()))
                        .as(component.toString())
                        .accepts(hints);
            }
        }
    }

    @Test
    void letsPropertiesBeBoundAndTheEndpointAnswer() throws Exception {
        for (String type : List.of(
                "io.georep.spring.boot.GeoRepProperties",
                "io.georep.spring.boot.GeoRepProperties$Queue",
                "io.georep.spring.boot.GeoRepProperties$RetrySettings")) {
            assertThat(RuntimeHintsPredicates.reflection()
                            .onConstructorInvocation(Class.forName(type).getDeclaredConstructors()[0]))
                    .as(type)
                    .accepts(hints);
        }
        for (String type : List.of("Overview", "Peer", "Queue", "Listener", "Undecided", "LetterPage", "Letter")) {
            Class<?> answer = Class.forName("io.georep.spring.boot.actuate.EndpointReport$" + type);
            for (RecordComponent component : answer.getRecordComponents()) {
                assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(component.getAccessor()))
                        .as(component.toString())
                        .accepts(hints);
            }
        }
    }

    @Test
    void letsTheNodeFindItsTransportAndTheLibraryOfItsStore() throws Exception {
        assertThat(RuntimeHintsPredicates.resource()
                        .forResource("META-INF/services/" + TransportFactory.class.getName()))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onConstructorInvocation(Class.forName("io.georep.netty.NettyTransportFactory")
                                .getDeclaredConstructor()))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.resource().forResource(Environment.getJniLibraryFileName("rocksdb")))
                .accepts(hints);
        assertThat(hints.jni().getTypeHint(RocksDBException.class)).isNotNull();
        assertThat(hints.jni().getTypeHint(Status.class)).isNotNull();
    }

    /** Only those in the settings of the build. */
    @Test
    void letsTheHostCreateConnectors() {
        for (Class<?> plugin : List.of(
                FileStreamSinkConnector.class,
                FileStreamSinkTask.class,
                StringConverter.class,
                SimpleHeaderConverter.class,
                DropHeaders.class)) {
            assertThat(RuntimeHintsPredicates.reflection().onConstructorInvocation(plugin.getConstructors()[0]))
                    .as(plugin.getName())
                    .accepts(hints);
        }
        assertThat(RuntimeHintsPredicates.resource().forResource("META-INF/services/" + SinkConnector.class.getName()))
                .accepts(hints);
        assertThat(hints.reflection().getTypeHint(FileStreamSourceConnector.class))
                .isNull();
    }

    private static void compile() throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "-proc:none",
                "-nowarn",
                "-classpath",
                directory.resolve("classes") + File.pathSeparator + System.getProperty("java.class.path"),
                "-d",
                directory.resolve("classes").toString()));
        try (Stream<Path> sources = Files.walk(directory.resolve("sources"))) {
            sources.map(Path::toString).filter(name -> name.endsWith(".java")).forEach(arguments::add);
        }
        int result = ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(new String[0]));
        assertThat(result).as("generated code compiles").isZero();
    }

    private static List<String> command() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(each -> each.startsWith("--"))
                .forEach(command::add);
        command.addAll(List.of(
                "-Dspring.aot.enabled=true",
                "-classpath",
                String.join(
                        File.pathSeparator,
                        directory.resolve("classes").toString(),
                        directory.resolve("resources").toString(),
                        System.getProperty("java.class.path")),
                AheadOfTimeApplication.class.getName(),
                directory.resolve("data").toString()));
        return command;
    }
}
