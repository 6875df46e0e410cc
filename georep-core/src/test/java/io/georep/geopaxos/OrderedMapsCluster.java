package io.georep.geopaxos;

import io.georep.testing.LocalCluster;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** Nodes in this JVM that have ordered maps, for one test. */
abstract class OrderedMapsCluster {
    @Nullable
    LocalCluster cluster;

    @AfterEach
    void end() {
        if (cluster != null) {
            cluster.close();
        }
    }

    OrderedMaps maps(int number) {
        return cluster.node(number).service(OrderedMaps.class);
    }

    OrderedMap<String, String> map(int number) {
        return maps(number).map(Transfer.ACCOUNTS);
    }

    static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(90, TimeUnit.SECONDS).join();
    }
}
