package io.georep.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.common.utils.AppInfoParser;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** These tests run with two versions of Kafka, and not twice with the same. */
@Tag("servers")
final class VersionTest {
    /** What Spring Boot manages; docs/use/connectors.md names it. */
    private static final String FIRST = "4.2.";

    @Test
    void eachRunHasItsOwnVersionOfKafka() {
        String later = System.getProperty("georep.comparison.kafka");
        String version = AppInfoParser.getVersion();
        if (later == null) {
            assertThat(version).startsWith(FIRST);
        } else {
            assertThat(version).isEqualTo(later).doesNotStartWith(FIRST);
        }
    }
}
