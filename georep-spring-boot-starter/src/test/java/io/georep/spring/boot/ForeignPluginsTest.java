package io.georep.spring.boot;

import static io.georep.spring.boot.SinkBench.SOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.outbox.Outbox;
import io.georep.spring.Connectors;
import io.georep.spring.Outboxes;
import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/**
 * Plugins that this project does not know: compiled against the plugin API of Kafka 2.8, for Java 8, and run as directories with
 * classes of their own. What they write goes to a queue in the system properties, which plugins and test share.
 */
@Timeout(60)
class ForeignPluginsTest {
    private static final String WRITTEN = "georep.test.foreign.written";
    private static final String LOADERS = "georep.test.foreign.loaders";

    private static final String SINK = """
            package foreign;
            import java.util.*;
            import org.apache.kafka.common.config.ConfigDef;
            import org.apache.kafka.connect.connector.Task;
            import org.apache.kafka.connect.sink.*;
            public class NAMEDSink extends SinkConnector {
                private Map<String, String> settings;
                public String version() { return "1"; }
                public void start(Map<String, String> given) { settings = given; }
                public void stop() {}
                public Class<? extends Task> taskClass() { return ForeignTask.class; }
                public List<Map<String, String>> taskConfigs(int max) { return Collections.nCopies(1, settings); }
                public ConfigDef config() { return new ConfigDef(); }
                static String driver() {
                    try {
                        return String.valueOf(java.sql.DriverManager.getDriver("jdbc:foreign:db"));
                    } catch (java.sql.SQLException e) {
                        return e.toString();
                    }
                }
                public static class ForeignTask extends SinkTask {
                    private String name;
                    public String version() { return "1"; }
                    public void start(Map<String, String> settings) { name = settings.get("name"); }
                    public void stop() {}
                    @SuppressWarnings("unchecked")
                    public void put(Collection<SinkRecord> records) {
                        for (SinkRecord record : records) {
                            ((Queue<String>) System.getProperties().get("georep.test.foreign.written"))
                                    .add(name + " " + record.value() + " " + WHERE);
                        }
                    }
                }
            }
            """;

    private static final String CONVERTER = """
            package foreign;
            import java.util.Map;
            import org.apache.kafka.connect.data.*;
            public class ForeignConverter implements org.apache.kafka.connect.storage.Converter {
                public void configure(Map<String, ?> settings, boolean isKey) {}
                public byte[] fromConnectData(String topic, Schema schema, Object value) { return null; }
                public SchemaAndValue toConnectData(String topic, byte[] value) {
                    return new SchemaAndValue(null, value == null ? null : new String(value).toUpperCase());
                }
            }
            """;

    private static final String DRIVER = """
            package foreign;
            import java.sql.*;
            import java.util.*;
            public class ForeignDriver implements Driver {
                @SuppressWarnings("unchecked")
                static void register() throws SQLException {
                    DriverManager.registerDriver(new ForeignDriver());
                    ((Queue<Object>) System.getProperties().get("georep.test.foreign.loaders"))
                            .add(ForeignDriver.class.getClassLoader());
                }
                static {
                    try { register(); } catch (SQLException e) { throw new Error(e); }
                }
                public String toString() { return WHERE; }
                public boolean acceptsURL(String url) { return url.startsWith("jdbc:foreign:"); }
                public Connection connect(String url, Properties info) { return null; }
                public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) { return null; }
                public int getMajorVersion() { return 1; }
                public int getMinorVersion() { return 1; }
                public boolean jdbcCompliant() { return false; }
                public java.util.logging.Logger getParentLogger() { return null; }
            }
            """;

    private static final String DATA_SOURCE = """
            package application;
            public class DataSource implements java.util.concurrent.Callable<String> {
                public String call() throws Exception {
                    return String.valueOf(java.sql.DriverManager.getDriver("jdbc:foreign:db"));
                }
            }
            """;

    private static final String LIBRARY = """
            package library;
            public class Library { public static String version() { return WHERE; } }
            """;

    @TempDir
    Path directory;

    private final Queue<String> written = new ConcurrentLinkedQueue<>();

    /** Of drivers. */
    private final Queue<Object> loaders = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void share() {
        DriverManager
                .getDrivers(); // the first use looks for drivers by the loader of its thread, the later ones do not
        System.getProperties().put(WRITTEN, written);
        System.getProperties().put(LOADERS, loaders);
    }

    @AfterEach
    void unshare() {
        System.getProperties().remove(WRITTEN);
        System.getProperties().remove(LOADERS);
    }

    /** {@code target/connect-2.8} is what the build copies; an IDE may have not. */
    private static List<Path> api() throws IOException {
        Path copied = Path.of("target", "connect-2.8");
        Path root = Files.isDirectory(copied)
                ? copied
                : Path.of(System.getProperty("user.home"), ".m2", "repository", "org", "apache", "kafka");
        try (Stream<Path> files = Files.walk(root)) {
            List<Path> jars =
                    files.filter(file -> file.toString().endsWith("-2.8.2.jar")).toList();
            assertThat(jars)
                    .as("connect-api and kafka-clients 2.8.2 below %s", root)
                    .hasSizeGreaterThanOrEqualTo(2);
            return jars;
        }
    }

    private void compile(Path into, String name, String source) throws IOException {
        Path file = Files.writeString(
                Files.createDirectories(directory.resolve("src-" + into.getFileName()))
                        .resolve(name + ".java"),
                source);
        List<String> path = new ArrayList<>(List.of(into.toString()));
        api().forEach(jar -> path.add(jar.toString()));
        int result = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "-proc:none",
                        "-Xlint:-options",
                        "--release",
                        "8",
                        "-classpath",
                        String.join(System.getProperty("path.separator"), path),
                        "-d",
                        Files.createDirectories(into).toString(),
                        file.toString());
        assertThat(result).as(name).isZero();
    }

    private void driver(Path place, String where) throws IOException {
        compile(place, "ForeignDriver", DRIVER.replace("WHERE", '"' + where + '"'));
        Path services = Files.createDirectories(place.resolve("META-INF/services"));
        Files.writeString(services.resolve("java.sql.Driver"), "foreign.ForeignDriver\n");
    }

    /** The sink says what it finds by this expression. */
    private void sink(Path place, String name, String where) throws IOException {
        compile(place, name + "Sink", SINK.replace("WHERE", where).replace("NAMED", name));
        compile(place, "ForeignConverter", CONVERTER);
    }

    @Test
    void runEachWithItsOwnClassesAndDriversBesideThoseOfTheApplication() throws Exception {
        Path plugins = Files.createDirectories(directory.resolve("plugins"));
        for (String version : List.of("One", "Two")) {
            Path place = plugins.resolve("versioned" + version);
            compile(place, "Library", LIBRARY.replace("WHERE", '"' + "library " + version + '"'));
            sink(place, version, "library.Library.version()");
        }
        Path elsewhere = directory.resolve("elsewhere");
        driver(elsewhere, "driver of the plugin");
        sink(elsewhere, "Linked", "driver()");
        jar(elsewhere, Files.createDirectories(directory.resolve("linked/lib")).resolve("linked.jar"));
        Files.createSymbolicLink(plugins.resolve("linked"), directory.resolve("linked"));
        Path application = directory.resolve("application");
        driver(application, "driver of the application");
        compile(application, "DataSource", DATA_SOURCE);

        try (URLClassLoader loader = new URLClassLoader(
                new URL[] {application.toUri().toURL()}, ForeignPluginsTest.class.getClassLoader())) {
            run(plugins, loader);
        }
    }

    /** As after a restart of a context in the same process: the first one leaves nothing, and the second finds all again. */
    @Test
    void areCollectedWithTheirDriversWhenTheirContextIsClosedAndFoundAgainByTheNext() throws Exception {
        ApplicationContextRunner runner = withADriver();
        for (int times = 1; times <= 2; times++) {
            runner.run(context -> forward(context, "Linked"));
            assertThat(written).hasSize(times).containsOnly("Linked HELLO driver of the plugin");
            awaitCollected();
        }
    }

    @Test
    void areCollectedWithTheirDriversWhenTheSettingsOfTheirConnectorsAreWrong() throws Exception {
        withADriver()
                .withPropertyValues("georep.connectors.Linked.topics=")
                .run(context -> assertThat(context).hasFailed());
        awaitCollected();
    }

    private ApplicationContextRunner withADriver() throws IOException {
        Path place = directory.resolve("plugins/linked");
        driver(place, "driver of the plugin");
        sink(place, "Linked", "driver()");
        return runner(directory.resolve("plugins"), getClass().getClassLoader(), "Linked");
    }

    /** The loaders of all plugins with a driver are gone. */
    private void awaitCollected() {
        assertThat(loaders).isNotEmpty();
        ReferenceQueue<Object> collected = new ReferenceQueue<>();
        List<Reference<Object>> open = new ArrayList<>();
        for (Object loader = loaders.poll(); loader != null; loader = loaders.poll()) {
            open.add(new WeakReference<>(loader, collected));
        }
        while (!open.isEmpty()) {
            System.gc();
            try {
                open.remove(collected.remove(100));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static void forward(AssertableApplicationContext context, String name) {
        assertThat(context).hasNotFailed();
        Outbox<byte[]> outbox = context.getBean(Outboxes.class).outbox(name, byte[].class);
        outbox.sendAndWait("hello".getBytes(StandardCharsets.UTF_8), SOON);
        await().atMost(SOON).until(() -> outbox.statistics().forwarded() == 1);
    }

    private static void jar(Path from, Path to) throws IOException {
        int result = java.util.spi.ToolProvider.findFirst("jar")
                .orElseThrow()
                .run(System.out, System.err, "--create", "--file", to.toString(), "-C", from.toString(), ".");
        assertThat(result).isZero();
    }

    private static ApplicationContextRunner runner(Path plugins, ClassLoader application, String... names) {
        ApplicationContextRunner runner = TestApplication.alone()
                .withConfiguration(AutoConfigurations.of(GeoRepConnectAutoConfiguration.class))
                .withClassLoader(application)
                .withPropertyValues("georep.plugin-path=" + plugins);
        for (String name : names) {
            runner = runner.withPropertyValues(
                    "georep.outboxes." + name + ".f=0",
                    "georep.connectors." + name + ".connector.class=foreign." + name + "Sink",
                    "georep.connectors." + name + ".topics=" + name,
                    "georep.connectors." + name + ".offset.flush.interval.ms=50",
                    "georep.connectors." + name + ".value.converter=foreign.ForeignConverter");
        }
        return runner;
    }

    private void run(Path plugins, ClassLoader application) {
        runner(plugins, application, "One", "Two", "Linked").run(context -> {
            assertThat(context).hasNotFailed();
            // As a pool does with the class of the driver in its settings.
            Class.forName("foreign.ForeignDriver", true, application);
            Callable<?> dataSource = (Callable<?>) application
                    .loadClass("application.DataSource")
                    .getConstructor()
                    .newInstance();
            for (String name : List.of("One", "Two", "Linked")) {
                forward(context, name);
            }

            assertThat(written)
                    .containsExactlyInAnyOrder(
                            "One HELLO library One", "Two HELLO library Two", "Linked HELLO driver of the plugin");
            assertThat(dataSource.call()).isEqualTo("driver of the application");
            assertThat(context.getBean(Connectors.class).all()).noneMatch(Connectors.Status::troubled);
        });
    }
}
