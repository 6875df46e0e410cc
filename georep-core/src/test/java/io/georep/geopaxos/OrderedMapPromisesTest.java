package io.georep.geopaxos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.GeoRepNode;
import io.georep.model.ClosedException;
import io.georep.model.Durability;
import io.georep.model.IndeterminateException;
import io.georep.spi.PayloadCodec;
import io.georep.testing.LocalCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** More of what the page on ordered maps says, on real nodes. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class OrderedMapPromisesTest extends OrderedMapsCluster {
    private static final OrderedMapSettings SETTINGS = OrderedMapSettings.of("n1", "n2", "n3")
            .times(Duration.ofSeconds(1), Duration.ofSeconds(60))
            .transactions(new Transfer());

    private void start(OrderedMapSettings settings) {
        cluster = LocalCluster.start(3, builder -> builder.orderedMaps(settings));
    }

    /** Money is moved between accounts while they are read: it is never seen twice, nor nowhere. */
    @Test
    void aPageIsOfOneMoment() {
        start(SETTINGS);
        for (int account = 0; account < 10; account++) {
            get(map(1).put("a" + account, "100"));
        }
        List<CompletionStage<?>> under = new ArrayList<>();
        List<CompletionStage<MapPage<String, String>>> pages = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            String transfer = "a" + i % 10 + ",a" + (i + 3) % 10 + ",1";
            under.add(cluster.node(1 + i % 2).service(OrderedMaps.class).call(new Transfer(), transfer));
            if (i % 10 == 0) {
                pages.add(map(1 + i / 10 % 3).range("a", "b", 100));
            }
        }
        for (CompletionStage<MapPage<String, String>> page : pages) {
            assertThat(get(page).entries().stream()
                            .mapToInt(entry -> Integer.parseInt(entry.getValue()))
                            .sum())
                    .isEqualTo(1_000);
        }
        under.forEach(OrderedMapPromisesTest::get);
    }

    @Test
    void aResultIsKeptUntilItsClientHasAcknowledgedIt() {
        try (GeoRepNode node = GeoRepNode.builder()
                .nodeId("n1")
                .site("s")
                .durability(Durability.MEMORY)
                .orderedMaps(OrderedMapSettings.of("n1").times(Duration.ofSeconds(1), Duration.ofSeconds(60)))
                .start()) {
            OrderedMap<String, String> map = node.service(OrderedMaps.class).map(Transfer.ACCOUNTS);
            OperationNumber first = new OperationNumber(7, 1, 0);
            OperationNumber second = new OperationNumber(7, 2, 0);
            get(map.put("a", "1"));
            assertThat(get(map.remove("a", first))).isTrue();
            assertThat(get(map.remove("a", first))).as("what it did then").isTrue();
            assertThat(get(map.remove("a", second))).isFalse();
            get(map.put("b", "1", new OperationNumber(7, 3, 1)));
            assertThatThrownBy(() -> get(map.remove("a", first)))
                    .hasCauseInstanceOf(IndeterminateException.class)
                    .hasMessageContaining("acknowledged");
            assertThat(get(map.remove("a", second))).isFalse();
        }
    }

    @Test
    void aTransactionFindsKeysWhileItIsExecuted() {
        PayTo pay = new PayTo(true);
        PayTo undeclared = new PayTo(false);
        try (GeoRepNode node = GeoRepNode.builder()
                .nodeId("n1")
                .site("s")
                .durability(Durability.MEMORY)
                .orderedMaps(OrderedMapSettings.of("n1").transactions(pay, undeclared))
                .start()) {
            OrderedMaps maps = node.service(OrderedMaps.class);
            OrderedMap<String, String> names = maps.map("names", PayloadCodec.string(), PayloadCodec.string());
            assertThat(get(maps.call(pay, "ann"))).isEqualTo("nobody");
            get(names.put("ann", "a1"));
            assertThat(get(maps.call(pay, "ann"))).isEqualTo("a1 has 1");
            get(names.put("ann", "a2"));
            OperationNumber number = new OperationNumber(8, 1, 0);
            assertThat(get(maps.call(pay, "ann", number))).isEqualTo("a2 has 1");
            assertThat(get(maps.call(pay, "ann", number))).as("once").isEqualTo("a2 has 1");

            assertThatThrownBy(() -> get(maps.call(undeclared, "ann")))
                    .hasCauseInstanceOf(TransactionFailedException.class)
                    .hasMessageContaining("not declared");
        }
    }

    @Test
    void whatIsUnderWayAtTheCloseIsIndeterminateIfItWrites() {
        start(SETTINGS);
        OrderedMap<String, String> map = map(1);
        get(map.put("a", "1"));
        cluster.crash(2);
        cluster.crash(3);
        CompletionStage<Void> write = map.put("a", "2");
        cluster.crash(1);
        assertThatThrownBy(() -> get(write)).hasCauseInstanceOf(IndeterminateException.class);
        assertThatThrownBy(() -> get(map.get("a"))).hasCauseInstanceOf(ClosedException.class);
    }

    @Test
    void replicasHoldEverythingAndTakeCallsWithoutAVote() {
        start(OrderedMapSettings.of("n1").replicas("n2", "n3").times(Duration.ofSeconds(1), Duration.ofSeconds(60)));
        get(map(3).put("a", "1"));
        assertThat(get(map(2).get("a"))).isEqualTo("1");
        cluster.crash(2);
        cluster.crash(3);
        get(map(1).put("a", "2"));
        cluster.restart(2);
        assertThat(get(map(2).get("a"))).isEqualTo("2");
        assertThat(get(map(2).remove("a"))).isTrue();
        assertThat(get(map(1).get("a"))).isNull();
    }
}
