package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.GeoRepNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class NodeNameTest {
    @TempDir
    Path data;

    @Test
    void aGivenNameWins() throws IOException {
        store("other");

        NodeName name = name("host-1", "georep.node-id", "ams-1");

        assertThat(name).isEqualTo(new NodeName("ams-1", data.resolve("ams-1"), null));
    }

    @Test
    void theHostGivesItsNameToANewNode() {
        assertThat(name("host-1")).isEqualTo(new NodeName("host-1", data.resolve("host-1"), null));
    }

    @Test
    void aStoreKeepsItsNodeThoughTheHostHasAnotherNameNow() throws IOException {
        store("host-1");

        assertThat(name("host-2")).isEqualTo(new NodeName("host-1", data.resolve("host-1"), null));
    }

    @Test
    void aGivenDirectoryKeepsItsNodeToo() throws IOException {
        Path directory = store("host-1");

        assertThat(name("host-2", "georep.data-dir", directory.toString()))
                .isEqualTo(new NodeName("host-1", directory, null));
        assertThat(name("host-2", "georep.data-dir", data.resolve("new").toString()))
                .isEqualTo(new NodeName("host-2", data.resolve("new"), null));
    }

    @Test
    void ofSeveralStoresThatOfTheHostIsTaken() throws IOException {
        store("host-1");
        store("host-2");

        assertThat(name("host-2")).isEqualTo(new NodeName("host-2", data.resolve("host-2"), null));
        assertThat(name("host-3").fault()).contains("nodeId is missing").contains("[host-1, host-2]");
    }

    @Test
    void aNameThatOthersHaveIsNoneInACluster() {
        assertThat(name("localhost").id()).isEqualTo("localhost");
        assertThat(name("localhost", "georep.port", "7400").fault()).contains("'localhost'");
        assertThat(name(null).fault()).contains("not known");
    }

    @ParameterizedTest
    @CsvSource({"a_b.c-d,a_b.c-d", "-web 1 (ü),web-1----", "___,", ",", "0123456789,0123456789"})
    void hostNamesAreMadeToFit(String host, String expected) {
        assertThat(NodeName.sanitised(host)).isEqualTo(expected);
    }

    @Test
    void longNamesStayDifferent() {
        String common = "x".repeat(70);

        assertThat(NodeName.sanitised(common + "1")).hasSize(64).isNotEqualTo(NodeName.sanitised(common + "2"));
    }

    @Test
    void aRealStoreRemembersItsNode() {
        Path directory = data.resolve("store");
        TestApplication.runner()
                .withPropertyValues("georep.node-id=first-host", "georep.data-dir=" + directory)
                .run(context -> assertThat(context).hasNotFailed());

        TestApplication.runner()
                .withPropertyValues("georep.data-dir=" + directory)
                .run(context -> assertThat(context.getBean(GeoRepNode.class)
                                .identity()
                                .id()
                                .value())
                        .isEqualTo("first-host"));
    }

    @Test
    void aStoreOfAnotherNodeIsRefusedByName() {
        Path directory = data.resolve("store");
        TestApplication.runner()
                .withPropertyValues("georep.node-id=one", "georep.data-dir=" + directory)
                .run(context -> assertThat(context).hasNotFailed());

        TestApplication.runner()
                .withPropertyValues("georep.node-id=other", "georep.data-dir=" + directory)
                .run(context ->
                        assertThat(context.getStartupFailure()).hasStackTraceContaining("belongs to node 'one'"));
    }

    private Path store(String node) throws IOException {
        Path directory = Files.createDirectory(data.resolve(node));
        Files.writeString(directory.resolve("georep.properties"), "format=1\nnode=" + node + "\n");
        return directory;
    }

    private NodeName name(String host, String... properties) {
        Map<String, Object> values = new HashMap<>();
        for (int i = 0; i < properties.length; i += 2) {
            values.put(properties[i], properties[i + 1]);
        }
        GeoRepProperties bound =
                new Binder(new MapConfigurationPropertySource(values)).bindOrCreate("georep", GeoRepProperties.class);
        return NodeName.of(bound, data, () -> host);
    }
}
