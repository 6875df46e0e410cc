package io.georep.geopaxos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.spi.PayloadCodec;
import io.georep.testing.LocalCluster;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A transaction that throws an error stops the nodes that execute it before it takes effect, so there is a way out. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class MendedTransactionTest {
    /** As it was delivered, and as it is mended: under the same name and version. */
    private record Fragile(Transfer mended, AtomicBoolean isMended) implements MapTransaction<String, String> {
        @Override
        public String name() {
            return mended.name();
        }

        @Override
        public int version() {
            return mended.version();
        }

        @Override
        public PayloadCodec<String> arguments() {
            return mended.arguments();
        }

        @Override
        public PayloadCodec<String> results() {
            return mended.results();
        }

        @Override
        public void declare(String argument, Keys keys) {
            mended.declare(argument, keys);
        }

        @Override
        public String execute(String argument, View view) {
            if (!isMended.get()) {
                throw new NoClassDefFoundError("by design");
            }
            return mended.execute(argument, view);
        }
    }

    @Test
    void nodesGoOnWithCodeThatThrowsNoError() throws Exception {
        Fragile transaction = new Fragile(new Transfer(), new AtomicBoolean());
        OrderedMapSettings settings = OrderedMapSettings.of("n1", "n2", "n3")
                .times(Duration.ofSeconds(1), Duration.ofSeconds(60))
                .transactions(transaction);
        try (LocalCluster cluster = LocalCluster.start(3, builder -> builder.orderedMaps(settings))) {
            map(cluster.node(1)).put("a", "5").toCompletableFuture().get(60, TimeUnit.SECONDS);

            cluster.node(2).service(OrderedMaps.class).call(transaction, "a,b,3", null);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> IntStream.rangeClosed(1, 3)
                                    .filter(number -> cluster.node(number).failure() != null)
                                    .count()
                            > 1);
            transaction.isMended.set(true);
            for (int number = 1; number <= 3; number++) {
                cluster.crash(number);
            }
            for (int number = 1; number <= 3; number++) {
                cluster.restart(number);
            }
            assertThat(map(cluster.node(3)).get("b").toCompletableFuture().get(60, TimeUnit.SECONDS))
                    .as("it stood in the log, and is executed now")
                    .isEqualTo("3");
        }
    }

    private static OrderedMap<String, String> map(GeoRepNode node) {
        return node.service(OrderedMaps.class).map(Transfer.ACCOUNTS);
    }
}
