package io.georep.spring.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.tools.ToolProvider;
import org.apache.kafka.connect.connector.Connector;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.file.FileStreamSinkConnector;
import org.apache.kafka.connect.sink.SinkConnector;
import org.apache.kafka.connect.storage.Converter;
import org.apache.kafka.connect.storage.HeaderConverter;
import org.apache.kafka.connect.transforms.Transformation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plugins are found by class and by name, those in the plugin directory first. */
class PluginsTest {
    @TempDir
    Path directory;

    private static final ClassLoader APPLICATION = PluginsTest.class.getClassLoader();

    private final Plugins application = new Plugins(APPLICATION, List.of());

    private static Path jarOf(Class<?> type) throws Exception {
        URI place = type.getProtectionDomain().getCodeSource().getLocation().toURI();
        return Path.of(place);
    }

    @ParameterizedTest
    @CsvSource({
        "FileStreamSink,org.apache.kafka.connect.file.FileStreamSinkConnector",
        "FileStreamSourceConnector,org.apache.kafka.connect.file.FileStreamSourceConnector",
        "io.georep.spring.connect.RecordingSink,io.georep.spring.connect.RecordingSink"
    })
    void aConnectorIsFoundByItsClassOrItsName(String name, String type) {
        assertThat(application.find(name, Connector.class, null).getName()).isEqualTo(type);
    }

    @Test
    void theBytesOfKafkasRuntimeAreOurs() {
        String name = "org.apache.kafka.connect.converters.ByteArrayConverter";
        assertThat(application.find(name, Converter.class, null)).isEqualTo(ByteArrayConverter.class);
        assertThat(application.find("ByteArrayConverter", HeaderConverter.class, null))
                .isEqualTo(ByteArrayConverter.class);
        ByteArrayConverter bytes = new ByteArrayConverter();
        assertThat(bytes.fromConnectData("t", Schema.BYTES_SCHEMA, new byte[] {1}))
                .containsExactly(1);
        assertThat(bytes.fromConnectData("t", null, java.nio.ByteBuffer.wrap(new byte[] {1, 2})))
                .containsExactly(1, 2);
        assertThat(bytes.fromConnectData("t", null, null)).isNull();
        assertThat(bytes.toConnectData("t", new byte[] {1}).value()).isEqualTo(new byte[] {1});
        assertThatThrownBy(() -> bytes.fromConnectData("t", null, "text")).isInstanceOf(DataException.class);
        assertThatThrownBy(() -> bytes.fromConnectData("t", Schema.STRING_SCHEMA, "text"))
                .isInstanceOf(DataException.class);
    }

    @Test
    void aPluginInADirectoryHasClassesOfItsOwnAndSharesTheApi() throws Exception {
        Path plugin = Files.createDirectories(directory.resolve("file-connector"));
        Files.copy(jarOf(FileStreamSinkConnector.class), plugin.resolve("connect-file.jar"));

        Class<? extends Connector> found =
                new Plugins(APPLICATION, List.of(directory)).find("FileStreamSink", Connector.class, null);

        assertThat(found).isNotEqualTo(FileStreamSinkConnector.class);
        assertThat(found.getName()).isEqualTo(FileStreamSinkConnector.class.getName());
        assertThat(found.getClassLoader()).isInstanceOf(PluginClassLoader.class);
        assertThat(found.getSuperclass()).isEqualTo(SinkConnector.class);
        assertThat(Plugins.create(found).taskClass().getClassLoader()).isEqualTo(found.getClassLoader());
        assertThat(Plugins.create(found).config().names()).contains("file");
    }

    @Test
    void linksToPluginsAndToTheirJarsAreFollowed() throws Exception {
        Path elsewhere = Files.createDirectories(directory.resolve("elsewhere/lib"));
        Path jar = Files.copy(jarOf(FileStreamSinkConnector.class), directory.resolve("connect-file.jar"));
        Files.createSymbolicLink(elsewhere.resolve("linked.jar"), jar);
        Path plugins = Files.createDirectories(directory.resolve("plugins"));
        Files.createSymbolicLink(plugins.resolve("file"), directory.resolve("elsewhere"));
        Files.createSymbolicLink(plugins.resolve("gone"), directory.resolve("nowhere"));

        Class<? extends Connector> found =
                new Plugins(APPLICATION, List.of(plugins)).find("FileStreamSink", Connector.class, null);

        assertThat(found.getClassLoader()).isInstanceOf(PluginClassLoader.class);
    }

    /** As Debezium does: the default of a setting is a class of the plugin, found by the loader of the thread. */
    @Test
    void aPluginFindsItsOwnClassesWhileItSaysItsSettings() throws Exception {
        Path plugin = Files.createDirectories(directory.resolve("plugins/naming"));
        Path source = Files.writeString(directory.resolve("NamingSink.java"), """
                package com.example;
                import org.apache.kafka.common.config.ConfigDef;
                public class NamingSink extends org.apache.kafka.connect.sink.SinkConnector {
                    public static class Naming {}
                    private final Class<?> here;
                    public NamingSink() throws ClassNotFoundException {
                        here = Class.forName(
                                Naming.class.getName(), true, Thread.currentThread().getContextClassLoader());
                    }
                    public ConfigDef config() {
                        return new ConfigDef().define(
                                "naming", ConfigDef.Type.CLASS, Naming.class.getName(), ConfigDef.Importance.LOW, "");
                    }
                    public String version() { return "1"; }
                    public void start(java.util.Map<String, String> settings) {}
                    public void stop() {}
                    public Class<? extends org.apache.kafka.connect.connector.Task> taskClass() { return null; }
                    public java.util.List<java.util.Map<String, String>> taskConfigs(int max) { return java.util.List.of(); }
                }
                """);
        int result = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "-proc:none",
                        "-classpath",
                        System.getProperty("java.class.path"),
                        "-d",
                        plugin.toString(),
                        source.toString());
        assertThat(result).isZero();
        Map<String, String> settings = Map.of(
                "connector.class", "com.example.NamingSink",
                "topics", "sms",
                "naming", "com.example.NamingSink$Naming",
                "value.converter", "org.apache.kafka.connect.storage.StringConverter");
        Plugins plugins = new Plugins(APPLICATION, List.of(directory.resolve("plugins")));
        ClassLoader before = Thread.currentThread().getContextClassLoader();

        ConfigCheck check = new ConfigCheck("naming", settings, plugins, (one, other) -> 9).check();

        assertThat(check.faults()).isEmpty();
        assertThat(check.unknown()).isEmpty();
        assertThat(Thread.currentThread().getContextClassLoader()).isEqualTo(before);

        Files.delete(plugin.resolve("com/example/NamingSink$Naming.class"));
        assertThat(new ConfigCheck(
                                "naming", settings, new Plugins(APPLICATION, List.of(plugin.getParent())), (a, b) -> 9)
                        .check()
                        .faults())
                .singleElement()
                .asString()
                .contains("needs the class com/example/NamingSink$Naming", "into the plugin's directory");
    }

    @ParameterizedTest
    @CsvSource({
        "org.apache.kafka.connect.sink.SinkTask,true",
        "org.apache.kafka.common.config.ConfigDef,true",
        "org.apache.kafka.connect.transforms.Transformation,true",
        "org.apache.kafka.connect.transforms.RegexRouter,false",
        "org.apache.kafka.connect.json.JsonConverter,false",
        "org.slf4j.Logger,true",
        "com.fasterxml.jackson.databind.ObjectMapper,false"
    })
    void hostAndPluginShareTheApiOnly(String name, boolean shared) {
        assertThat(PluginClassLoader.isShared(name)).isEqualTo(shared);
    }

    @Test
    void whatIsNotThereOrOfAnotherKindIsNamed() {
        assertThatThrownBy(() -> application.find("NoSuch", Transformation.class, null))
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining("there is no Transformation NoSuch")
                .hasMessageContaining("RegexRouter");
        assertThatThrownBy(() -> application.find("java.lang.String", Connector.class, null))
                .hasMessageContaining("is not a org.apache.kafka.connect.connector.Connector");
        assertThat(TaskParts.below(Map.of("a.b", "1", "a", "2"), "a.")).containsExactly(Map.entry("b", "1"));
    }
}
