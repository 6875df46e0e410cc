package io.georep.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.spi.PeerSelection.Candidate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.connect.connector.Connector;
import org.junit.jupiter.api.Test;

/** What is set wrongly is told by name, all at once. */
final class WorkerSettingsTest {
    private static Map<String, String> good() {
        Map<String, String> settings = new HashMap<>();
        settings.put("name", "to-nyc");
        settings.put("topics", "orders");
        settings.put("georep.queues", "orders");
        settings.put("georep.data.dir", "/var/lib/georep");
        settings.put("georep.seeds", "nyc-1:7400-7409,nyc-2:7400");
        settings.put("georep.secret.file", "/etc/georep/secret");
        List.of("key.converter", "value.converter", "header.converter")
                .forEach(each -> settings.put(each, ConnectorChecks.BYTES));
        return settings;
    }

    private static Map<String, String> mistakes(Connector connector, Map<String, String> settings) {
        Config found = connector.validate(settings);
        Map<String, String> mistakes = new HashMap<>();
        found.configValues().stream()
                .filter(each -> !each.errorMessages().isEmpty())
                .forEach(each -> mistakes.put(each.name(), String.join("; ", each.errorMessages())));
        return mistakes;
    }

    @Test
    void goodSettingsAreTaken() {
        assertThat(mistakes(new GeoRepSinkConnector(), good())).isEmpty();
        assertThat(mistakes(new GeoRepSourceConnector(), good())).isEmpty();
    }

    @Test
    void allMistakesOfASinkAreToldTogether() {
        Map<String, String> settings = good();
        settings.keySet().removeAll(List.of("georep.data.dir", "georep.secret.file", "header.converter"));
        settings.put("georep.seeds", "nyc-1");
        settings.put("georep.f", "0");
        settings.put("georep.forward.nodes", "(");
        settings.put("georep.tls.key", "/etc/georep/key.pem");
        settings.put("topics.regex", ".*");
        settings.put("value.converter", "org.apache.kafka.connect.json.JsonConverter");

        assertThat(mistakes(new GeoRepSinkConnector(), settings))
                .containsOnlyKeys(
                        "georep.data.dir",
                        "georep.seeds",
                        "georep.f",
                        "georep.forward.nodes",
                        "georep.tls.certificates",
                        "georep.tls.trusted",
                        "topics.regex",
                        "value.converter",
                        "header.converter");
    }

    @Test
    void aPortThatStrangersReachNeedsProtection() {
        Map<String, String> settings = good();
        settings.remove("georep.secret.file");
        assertThat(mistakes(new GeoRepSinkConnector(), settings)).containsOnlyKeys("georep.secret");

        settings.put("georep.listen", "127.0.0.1:7400-7409");
        assertThat(mistakes(new GeoRepSinkConnector(), settings)).isEmpty();
    }

    @Test
    void aSecretThatIsNoneIsToldAtOnceAndNotRepeated() {
        Map<String, String> settings = good();
        settings.remove("georep.secret.file");
        for (String wrong : List.of("hunter2,", "aHVudGVyMg==")) {
            settings.put("georep.secret", wrong);

            assertThat(mistakes(new GeoRepSourceConnector(), settings))
                    .containsOnlyKeys("georep.secret")
                    .hasEntrySatisfying(
                            "georep.secret",
                            mistake -> assertThat(mistake)
                                    .startsWith("georep.secret cannot be used: ")
                                    .doesNotContain("hunter2", "aHVudGVyMg"));
        }
    }

    @Test
    void aSourceMustNotLoseWhatKafkaDoesNotTake() {
        Map<String, String> settings = good();
        settings.put("errors.tolerance", "all");
        settings.put("producer.override.acks", "1");
        settings.put("value.converter", ConnectorChecks.TEXTS);

        assertThat(mistakes(new GeoRepSourceConnector(), settings))
                .containsOnlyKeys("errors.tolerance", "producer.override.acks", "value.converter");
    }

    @Test
    void eachTaskIsToldItsNumber() {
        GeoRepSourceConnector connector = new GeoRepSourceConnector();
        connector.start(good());

        assertThat(connector.taskConfigs(3))
                .extracting(each -> each.get("georep.task"))
                .containsExactly("0", "1", "2");
        assertThat(connector.taskConfigs(1).get(0)).containsAllEntriesOf(good());
    }

    @Test
    void sinksHandOverToNodesThatForward() {
        Map<String, String> settings = good();
        assertThat(new SinkSettings(settings).forwarders())
                .accepts(candidate("source.from-ams-0.w1", "nyc"), candidate("billing-1", "ams"))
                .rejects(candidate("sink.to-nyc-1.w2", "nyc"));

        settings.put("georep.forward.sites", "nyc,lon");
        settings.put("georep.forward.nodes", "source\\.from-ams-.*");
        assertThat(new SinkSettings(settings).forwarders())
                .accepts(candidate("source.from-ams-0.w1", "nyc"))
                .rejects(candidate("source.from-ams-0.w1", "ams"), candidate("billing-1", "nyc"));
    }

    private static Candidate candidate(String node, String site) {
        return new Candidate(NodeId.of(node), site, 0);
    }
}
