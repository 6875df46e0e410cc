package io.georep.spring.boot.actuate.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** How items become JSON. */
class ConsoleStateTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    record Item(String name, Duration rtt, Instant since) {}

    private static Map<String, Object> item(String key, String name) {
        return Map.of(key, new Item(name, Duration.ofMillis(1500), Instant.ofEpochSecond(7)));
    }

    @Test
    void timesAreSeconds() {
        JsonNode read =
                JSON.readTree(ConsoleState.of(item("peer/n2", "n2"), 1_250).json());

        assertThat(read.get("at").asDouble()).isEqualTo(1.25);
        assertThat(read.at("/items/peer~1n2/rtt").asDouble()).isEqualTo(1.5);
        assertThat(read.at("/items/peer~1n2/since").asDouble()).isEqualTo(7);
    }

    /** An event ends with an empty line, and its data is one line. */
    @Test
    void namesStayDataWhateverIsInThem() {
        String odd = "</script><script>alert(1)</script>\"\n\n\r\nevent: state\ndata: {}\u2028\\";

        String json = ConsoleState.of(item("queue/" + odd, odd), 0).json();
        String event = new String(ConsoleState.event("state", json), StandardCharsets.UTF_8);

        assertThat(event.lines()).hasSize(3).startsWith("event: state").last().isEqualTo("");
        JsonNode read = JSON.readTree(json);
        assertThat(read.get("items").get("queue/" + odd).get("name").asString()).isEqualTo(odd);
    }

    @Test
    void tellsOnlyWhatHasChanged() {
        ConsoleState before = ConsoleState.of(Map.of("a", 1, "b", 2, "c", 3), 0);
        ConsoleState after = ConsoleState.of(Map.of("a", 1, "b", 5, "d", 4), 1);

        JsonNode change = JSON.readTree(after.jsonSince(before));

        assertThat(change.get("items").propertyNames()).containsExactlyInAnyOrder("b", "d");
        assertThat(change.get("gone").valueStream().map(JsonNode::asString)).containsExactly("c");
    }
}
