package io.georep.spring.boot.actuate.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What comes from a node of another release, or from one that lies. */
class NodeSummaryTest {
    private static NodeSummary read(String json) {
        return JacksonText.summary(json.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void anythingMayBeMissing() {
        assertThat(read("{}"))
                .isEqualTo(new NodeSummary(null, null, null, null, null, null, List.of(), List.of(), List.of()));
        assertThat(read("{\"peers\":null,\"queues\":null,\"later\":[1]}").peers())
                .isEmpty();
        assertThat(read("{\"peers\":[{\"id\":\"n1\"}]}").peers())
                .containsExactly(new NodeSummary.Sight("n1", null, false, null));
        assertThat(read("{\"queues\":[{\"name\":\"q\",\"backlog\":7}]}").queues())
                .containsExactly(new NodeSummary.Waiting("q", 7, 0, 0));
        assertThat(read("{\"takeovers\":[null,{},{\"queue\":\"q\",\"from\":\"n1\",\"left\":3}]}")
                        .takeovers())
                .containsExactly(new NodeSummary.Takeover("q", "n1", 0, 3));
        assertThat(read("{\"totals\":{\"backlog\":3}}").totals().backlog()).isEqualTo(3);
    }

    @Test
    void whatIsNoSummaryIsNone() {
        assertThat(read("null")).isNull();
        assertThat(read("7")).isNull();
        assertThat(read("{\"peers\":7}")).isNull();
        assertThat(read("{\"totals\":{\"backlog\":\"<b>\"}}")).isNull();
        assertThat(read("[".repeat(10_000))).isNull();
        assertThat(read("{\"peers\":[null]}").peers()).isEmpty();
        assertThat(read("{\"peers\":[{}]}").peers()).isEmpty();
    }
}
