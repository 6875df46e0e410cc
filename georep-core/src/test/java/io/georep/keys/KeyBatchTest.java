package io.georep.keys;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.GeoRepNode;
import io.georep.model.Durability;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whose the arrays of a batch are. */
@Timeout(60)
class KeyBatchTest {
    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The node keeps what was acknowledged, in memory under the keys; whoever reads the batch has copies. */
    @Test
    void whatACallerDoesToTheChangesOfABatchDoesNotReachTheRecords() throws Exception {
        try (GeoRepNode node = GeoRepNode.builder()
                .nodeId("solo")
                .durability(Durability.MEMORY)
                .expectedAway(Duration.ZERO)
                .keySpaces(KeySpaceSettings.defaults())
                .start()) {
            KeySpace space = node.service(KeySpaces.class).replicated("offsets", 0);
            KeyBatch batch = new KeyBatch().put(bytes("k"), bytes("v")).delete(bytes("l"));
            space.write(batch).toCompletableFuture().get(30, TimeUnit.SECONDS);

            batch.changes().forEach(change -> change.key()[0] = 'x');
            batch.changes().get(0).value()[0] = 'x';
            assertThat(space.get("k").toCompletableFuture().get(30, TimeUnit.SECONDS))
                    .isEqualTo(bytes("v"));
            assertThat(batch.changes().get(0).key()).isEqualTo(bytes("k"));
            assertThat(batch.changes().get(1).value()).isNull();
        }
    }
}
