package io.georep.geopaxos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.NodeBuilder;
import io.georep.model.ClosedException;
import io.georep.model.ConfigurationException;
import io.georep.model.Durability;
import io.georep.model.IndeterminateException;
import io.georep.model.NodeId;
import io.georep.model.Registration;
import io.georep.model.RejectedException;
import io.georep.spi.PayloadCodec;
import io.georep.testing.LocalCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ordered maps on real nodes in this JVM. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class OrderedMapsTest extends OrderedMapsCluster {
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final OrderedMapSettings SETTINGS =
            OrderedMapSettings.of("n1", "n2", "n3").times(LEASE, PATIENCE).transactions(new Transfer());

    private void start(OrderedMapSettings settings) {
        cluster = LocalCluster.start(3, builder -> builder.orderedMaps(settings));
    }

    private static Throwable failure(CompletionStage<?> stage) {
        try {
            get(stage);
        } catch (CompletionException e) {
            return e.getCause();
        }
        throw new AssertionError("did not fail");
    }

    @Test
    void whatOneNodeWroteAllOthersRead() {
        start(SETTINGS);
        get(map(1).put("a", "1"));
        assertThat(get(map(2).get("a"))).isEqualTo("1");
        assertThat(get(map(3).putIfAbsent("a", "2"))).isEqualTo("1");
        assertThat(get(map(3).putIfAbsent("b", "2"))).isNull();
        assertThat(get(map(2).replace("b", "3", "4"))).isFalse();
        assertThat(get(map(2).replace("b", "2", "3"))).isTrue();
        assertThat(get(map(1).get("b"))).isEqualTo("3");
        assertThat(get(map(1).remove("b"))).isTrue();
        assertThat(get(map(3).remove("b"))).isFalse();
        assertThat(get(map(3).get("b"))).isNull();
    }

    @Test
    void keysAreSortedAndMapsAreApart() {
        start(SETTINGS);
        OrderedMap<String, String> other = maps(1).map("accountt", PayloadCodec.string(), PayloadCodec.string());
        get(other.put("x", "other"));
        List<CompletionStage<Void>> puts = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            puts.add(map(1 + i % 3).put("k" + (1000 + i), "" + i));
        }
        puts.forEach(OrderedMapsTest::get);

        OrderedMap<String, String> map = map(2);
        assertThat(get(map.size())).isEqualTo(500);
        assertThat(get(other.size())).isEqualTo(1);
        assertThat(get(map.first())).isEqualTo(Map.entry("k1000", "0"));
        assertThat(get(map.last())).isEqualTo(Map.entry("k1499", "499"));
        assertThat(get(map.next("k1100"))).isEqualTo(Map.entry("k1101", "101"));
        assertThat(get(map.previous("k1100"))).isEqualTo(Map.entry("k1099", "99"));
        assertThat(get(map.next("k1499"))).isNull();
        assertThat(get(map.previous("k1000"))).isNull();
        MapPage<String, String> page = get(map.range("k1010", "k1300", 100));
        assertThat(page.entries()).hasSize(100).startsWith(Map.entry("k1010", "10"));
        assertThat(page.more()).isTrue();
        page = get(map.rangeDescending(null, "k1003", 100));
        assertThat(page.entries().stream().map(Map.Entry::getKey)).containsExactly("k1002", "k1001", "k1000");
        assertThat(page.more()).isFalse();
    }

    @Test
    void aTransactionTakesEffectAsAWholeOrNotAtAll() {
        start(SETTINGS);
        get(map(1).put("ann", "10"));
        assertThat(get(maps(2).call(new Transfer(), "ann,bob,4"))).isEqualTo("6");
        assertThat(get(map(3).get("bob"))).isEqualTo("4");

        assertThat(failure(maps(3).call(new Transfer(), "ann,bob,7")))
                .isInstanceOf(TransactionFailedException.class)
                .hasMessageContaining("not enough on ann");
        assertThat(failure(maps(3).call(new Transfer(), "nonsense"))).isInstanceOf(TransactionFailedException.class);
        assertThat(get(map(1).get("ann"))).isEqualTo("6");
    }

    @Test
    void aRepeatedOperationTakesEffectOnce() {
        start(SETTINGS);
        get(map(1).put("ann", "10"));
        OperationNumber number = new OperationNumber(77, 1, 0);
        for (int node = 1; node <= 3; node++) {
            assertThat(get(maps(node).call(new Transfer(), "ann,bob,4", number)))
                    .isEqualTo("6");
        }
        assertThat(get(map(1).get("bob"))).isEqualTo("4");
        assertThat(failure(map(1).put("c", "d", number))).isInstanceOf(IllegalStateException.class);
        assertThat(get(map(1).get("c"))).isNull();
        assertThat(get(maps(1).readStatistics()).clients())
                .as("those that use numbers")
                .isEqualTo(1);
    }

    @Test
    void allGoesOnWithoutOneNodeAndOutlivesTheRestartOfAll() {
        start(SETTINGS);
        get(map(1).put("a", "1"));
        cluster.crash(1);
        get(map(2).put("b", "2"));
        assertThat(get(map(3).get("a"))).isEqualTo("1");
        cluster.crash(2);
        cluster.crash(3);
        for (int number = 1; number <= 3; number++) {
            cluster.restart(number);
        }
        for (int number = 1; number <= 3; number++) {
            assertThat(get(map(number).get("a"))).isEqualTo("1");
            assertThat(get(map(number).get("b"))).isEqualTo("2");
        }
    }

    @Test
    void anEntryGoesOnAllNodesWhenItsTimeIsOver() {
        start(SETTINGS);
        long before = System.nanoTime();
        get(map(1).put("a", "1", Duration.ofSeconds(2)));
        get(map(2).put("b", "2", Duration.ofDays(30)));
        get(map(3).put("stays", "3"));
        assertThat(get(map(2).putIfAbsent("a", "taken", Duration.ofSeconds(1), null)))
                .isEqualTo("1");
        get(map(3).put("b", "4"));
        while (get(map(3).putIfAbsent("a", "again", Duration.ofDays(1), null)) != null) {
            // until it is gone
        }
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThan(Duration.ofSeconds(2));
        assertThat(get(map(1).get("a"))).isEqualTo("again");
        assertThat(get(map(1).get("b"))).isEqualTo("4");
        assertThat(get(map(1).size())).isEqualTo(3);
        assertThatThrownBy(() -> map(1).put("a", "b", Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> map(1).put("a", "b", OrderedMaps.TIME_TO_LIVE_MAX.plusNanos(1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** Who took over from the node that set the clock removes what was to go, also after a restart of all. */
    @Test
    void timesToLiveOutliveRestarts() {
        start(SETTINGS);
        get(map(1).put("a", "1", Duration.ofSeconds(2)));
        get(map(1).put("b", "2", Duration.ofDays(30)));
        cluster.crash(1);
        while (get(map(2).get("a")) != null) {
            // until it is gone
        }
        get(map(2).put("c", "3", Duration.ofSeconds(2)));
        cluster.crash(2);
        cluster.crash(3);
        for (int number = 1; number <= 3; number++) {
            cluster.restart(number);
        }
        assertThat(get(map(1).putIfAbsent("c", "too early"))).isEqualTo("3");
        while (get(map(2).get("c")) != null) {
            // until it is gone
        }
        assertThat(get(map(3).get("b"))).isEqualTo("2");
    }

    @Test
    void withoutAMajorityAWriteIsIndeterminateAndAReadUnavailable() {
        start(SETTINGS.times(LEASE, Duration.ofSeconds(5)).waitingMax(2));
        get(map(1).put("a", "1"));
        cluster.crash(2);
        cluster.crash(3);
        CompletionStage<Void> write = map(1).put("a", "2");
        // The lease ends first, so that the read has no answer.
        assertThat(failure(write)).isInstanceOf(IndeterminateException.class).hasMessageContaining("PT5S");
        assertThat(failure(map(1).get("a"))).isInstanceOf(OrderedMapUnavailableException.class);
        assertThat(failure(map(1).get("a")))
                .isInstanceOfSatisfying(
                        RejectedException.class,
                        e -> assertThat(e.reason()).isEqualTo(RejectedException.Reason.QUEUE_FULL));
        OrderedMap<String, String> map = map(1);
        cluster.crash(1);
        assertThat(failure(map.get("a"))).isInstanceOf(ClosedException.class);
    }

    @Test
    void fullMapsRefuseWhatWouldMakeThemLarger() {
        start(SETTINGS.bounds(2, 1_000));
        OperationNumber second = new OperationNumber(5, 2, 0);
        get(map(1).put("a", "1"));
        get(map(1).put("b", "2", second));
        assertThat(get(map(1).size())).isEqualTo(2);
        assertThat(failure(map(1).put("c", "3")))
                .isInstanceOfSatisfying(
                        RejectedException.class,
                        e -> assertThat(e.reason()).isEqualTo(RejectedException.Reason.STORE_FULL))
                .hasMessageContaining("keysMax");
        assertThat(failure(map(1).put("a", "x".repeat(1_000)))).isInstanceOf(RejectedException.class);
        assertThat(failure(maps(1).call(new Transfer(), "a,c,1"))).isInstanceOf(RejectedException.class);
        get(map(1).put("a", "4"));
        assertThat(get(map(1).remove("b"))).isTrue();
        get(map(1).put("c", "3"));
        get(map(1).put("b", "2", second)); // it took effect before
        assertThat(get(map(1).get("b"))).isNull();
        assertThat(get(map(2).size())).isEqualTo(2);
    }

    @Test
    void statisticsTellWhoLeadsAndThatNobodyDoesWithoutAMajority() {
        start(SETTINGS);
        get(map(2).put("a", "1"));
        OrderedMapsStatistics leader = get(maps(1).readStatistics());
        OrderedMapsStatistics other = get(maps(2).readStatistics());
        assertThat(other.groups()).hasSize(1);
        assertThat(other.unanswered()).isZero();
        assertThat(other.unexecuted()).isZero();
        assertThat(other.keys()).isOne();
        assertThat(other.bytes()).as("with the name of the map").isEqualTo("accounts".length() + 1 + 2);
        assertThat(other.groups().get(0).voters()).isEqualTo(SETTINGS.voters());
        assertThat(other.groups().get(0).leader()).isEqualTo(NodeId.of("n1"));
        assertThat(other.groups().get(0).leads()).isFalse();
        assertThat(other.groups().get(0).decided()).isPositive();
        assertThat(leader.groups().get(0).leads()).isTrue();
        assertThat(cluster.node(2).statistics().of(OrderedMapsStatistics.class)).isNotNull();

        cluster.crash(2);
        cluster.crash(3);
        CompletionStage<Void> write = map(1).put("a", "2");
        await().atMost(PATIENCE)
                .until(() -> get(maps(1).readStatistics()).groups().get(0).leader() == null);
        assertThat(get(maps(1).readStatistics()).unanswered()).isEqualTo(1);
        assertThat(write.toCompletableFuture()).isNotDone();
    }

    /** It forgets all or nothing, so it contradicts nobody. */
    @Test
    void aNodeAloneMayKeepItsMapsInMemory() {
        try (GeoRepNode node = GeoRepNode.builder()
                .nodeId("n1")
                .site("s")
                .durability(Durability.MEMORY)
                .orderedMaps(OrderedMapSettings.of("n1"))
                .start()) {
            OrderedMap<String, String> map = node.service(OrderedMaps.class).map(Transfer.ACCOUNTS);
            get(map.put("a", "1"));
            assertThat(get(map.get("a"))).isEqualTo("1");
        }
    }

    /** In one order on all nodes: also what a transaction writes, and what goes by itself. */
    @Test
    void listenersAreToldOfWhatIsExecuted() {
        start(SETTINGS);
        Map<Integer, BlockingQueue<String>> told = new HashMap<>();
        List<Registration> registrations = new ArrayList<>();
        for (int node = 1; node <= 3; node++) {
            BlockingQueue<String> those = new LinkedBlockingQueue<>();
            told.put(node, those);
            registrations.add(map(node).listen(change -> {
                those.add(change.key() + "=" + change.value());
                throw new AssertionError("by design");
            }));
        }
        get(map(1).put("ann", "10"));
        get(maps(2).map("other", PayloadCodec.string(), PayloadCodec.string()).put("ann", "0"));
        get(map(3).putIfAbsent("ann", "11"));
        get(maps(2).call(new Transfer(), "ann,bob,4"));
        get(map(3).remove("bob"));
        get(map(1).put("c", "1", Duration.ofMillis(1)));
        for (BlockingQueue<String> those : told.values()) {
            List<String> changes = new ArrayList<>();
            await().atMost(PATIENCE).until(() -> {
                those.drainTo(changes);
                return changes.contains("c=null");
            });
            assertThat(changes).containsExactly("ann=10", "ann=6", "bob=4", "bob=null", "c=1", "c=null");
        }
        registrations.forEach(Registration::close);
        get(map(1).put("ann", "7"));
        get(map(2).get("ann"));
        assertThat(told.get(1)).isEmpty();
    }

    @Test
    void whatIsTooLargeIsRefused() {
        start(SETTINGS);
        assertThat(failure(map(1).put("k".repeat(OrderedMaps.KEY_BYTES_MAX + 1), "v")))
                .isInstanceOf(RejectedException.class);
        assertThat(failure(map(1).put("k", "v".repeat(OrderedMaps.VALUE_BYTES_MAX + 1))))
                .isInstanceOf(RejectedException.class);
        get(map(1).put("k".repeat(OrderedMaps.KEY_BYTES_MAX), "v".repeat(OrderedMaps.VALUE_BYTES_MAX)));
        assertThatThrownBy(() -> map(1).range(null, null, OrderedMaps.PAGE_MAX + 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aCallbackThatThrowsHarmsNobodyElse() {
        start(SETTINGS);
        CompletableFuture<Void> thrown = map(1).put("a", "1")
                .thenAccept(done -> {
                    throw new AssertionError("the callback");
                })
                .toCompletableFuture();
        assertThat(failure(thrown)).hasMessage("the callback");
        assertThat(get(map(1).get("a"))).isEqualTo("1");
    }

    @Test
    void wrongSettingsAreRefusedBeforeTheStart(@TempDir Path data) {
        assertThatThrownBy(() -> OrderedMapSettings.of("n1", "n2", "n1").waitingMax(0))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("n1 of ordered maps is named twice");
        assertThatThrownBy(() -> OrderedMapSettings.of("n1", "n2", "n3").group("n1", "n3"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("n1 of ordered maps is the home of two groups");
        assertThatThrownBy(() -> SETTINGS.group()).hasMessageContaining("voters of ordered maps: 0, allowed: 1 to 7");
        assertThatThrownBy(() -> SETTINGS.group("n4", "n5").replicas("n5"))
                .hasMessageContaining("n5 of ordered maps is named twice");
        assertThatThrownBy(() -> SETTINGS.transactions(new Transfer(), new Transfer()))
                .hasMessageContaining("transfer/1");
        assertThatThrownBy(() -> SETTINGS.times(Duration.ZERO, PATIENCE)).hasMessageContaining("lease");
        assertThatThrownBy(() -> SETTINGS.placement(Duration.ofMillis(1))).hasMessageContaining("placement");
        NodeBuilder forgetful = GeoRepNode.builder()
                .nodeId("n1")
                .site("s")
                .durability(Durability.MEMORY)
                .orderedMaps(SETTINGS);
        assertThatThrownBy(forgetful::start)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("MEMORY");
        NodeBuilder caller = GeoRepNode.builder()
                .nodeId("n9")
                .site("s")
                .durability(Durability.MEMORY)
                .orderedMaps(SETTINGS);
        assertThatThrownBy(caller::start)
                .as("it votes nowhere, so it may forget; but it must reach those that hold the maps")
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("does not listen")
                .hasMessageNotContaining("MEMORY");
        NodeBuilder deaf =
                GeoRepNode.builder().nodeId("n1").site("s").dataDir(data).orderedMaps(SETTINGS);
        assertThatThrownBy(deaf::start)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("it does not listen");
    }
}
