package io.georep.bench.cluster;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.bench.process.Workspace;
import io.georep.model.Durability;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class LoadClusterIT {
    /** Waiting for the call of a process that is gone would take {@link LoadCluster#START_WITHIN}. */
    @Test
    @Timeout(60)
    void noticesAtOnceThatANodeDiedAtItsStart() throws IOException {
        LoadCluster.Settings settings = new LoadCluster.Settings(
                0, Durability.MEMORY, LoadNode.Handler.NONE, List.of("-Xmx64m"), List.of("--no-such-option", "1"));
        try (Workspace workspace = Workspace.create("georep-bench-test-");
                LoadCluster cluster = new LoadCluster(workspace, settings)) {
            assertThatThrownBy(() -> cluster.start(1))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("node-1 (pid ")
                    .hasMessageContaining("ended at its start; the end of its log")
                    .hasMessageContaining("--no-such-option");
        }
    }
}
