package io.georep.geopaxos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.spi.PayloadCodec;
import io.georep.testing.LocalCluster;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ordered maps on real nodes in this JVM, where each site has a group. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class OrderedMapGroupsTest extends OrderedMapsCluster {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final OrderedMapSettings SETTINGS = OrderedMapSettings.of("n1", "n2", "n3")
            .group("n2", "n3", "n1")
            .group("n3", "n1", "n2")
            .times(Duration.ofSeconds(1), PATIENCE);

    private void start(OrderedMapSettings settings) {
        cluster = LocalCluster.start(3, builder -> builder.orderedMaps(settings));
    }

    @Test
    void severalGroupsAreOneMap() {
        start(SETTINGS);
        for (int node = 1; node <= 3; node++) {
            get(map(node).put("k" + node, "v" + node));
            assertThat(get(map(1 + node % 3).get("k" + node))).isEqualTo("v" + node);
        }
        assertThat(get(map(3).size())).isEqualTo(3);
        cluster.crash(2);
        get(map(3).put("k2", "other"));
        cluster.restart(2);
        assertThat(get(map(2).get("k2"))).isEqualTo("other");
    }

    @Test
    void aKeyGoesToTheGroupOfTheSiteThatUsesIt() {
        start(SETTINGS.placement(Duration.ofMillis(200)));
        for (int node : new int[] {2, 3, 1}) {
            AtomicInteger value = new AtomicInteger();
            await().atMost(PATIENCE).until(() -> {
                for (int i = 0; i < 40; i++) {
                    get(map(node).put("a", node + "/" + value.incrementAndGet()));
                    get(map(node).get("a"));
                }
                return isOnlyWith(node);
            });
            assertThat(get(map(1 + node % 3).get("a"))).isEqualTo(node + "/" + value);
        }
        await().atMost(PATIENCE).untilAsserted(() -> {
            get(map(1).put("a", "counted"));
            OrderedMapsPlacement told = placement(1, Slice.EMPTY, 10);
            assertThat(told.leaves()).hasSize(1);
            assertThat(told.leaves().get(0).groups()).containsExactly(0);
            NodeId decider = told.decider();
            assertThat(decider).isNotNull();
            int place = Integer.parseInt(decider.value().substring(1));
            List<Integer> writes =
                    placement(place, Slice.EMPTY, 10).leaves().get(0).writes();
            assertThat(writes).hasSize(3);
            assertThat(writes.get(0)).isPositive();
        });
    }

    private OrderedMapsPlacement placement(int node, Slice from, int most) {
        return get(maps(node).readPlacement(Transfer.ACCOUNTS.name(), from, most));
    }

    private static List<String> firsts(OrderedMapsPlacement page) {
        return page.leaves().stream()
                .map(leaf -> new String(leaf.first().toArray(), StandardCharsets.UTF_8))
                .toList();
    }

    @Test
    void whereKeysAreIsReadInPages() {
        start(SETTINGS);
        List<CompletionStage<?>> puts = new ArrayList<>();
        for (String map : List.of("a", Transfer.ACCOUNTS.name(), "zz")) {
            OrderedMap<String, String> keys = maps(1).map(map, PayloadCodec.string(), PayloadCodec.string());
            for (int i = 0; i < 300; i++) {
                puts.add(keys.put("%03d".formatted(i), "v"));
            }
        }
        puts.forEach(OrderedMapGroupsTest::get);
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(placement(1, Slice.EMPTY, 100).leaves().size())
                                .isGreaterThan(3));

        List<String> firsts = new ArrayList<>();
        Slice from = Slice.EMPTY;
        while (from != null) {
            OrderedMapsPlacement page = placement(1, from, 2);
            assertThat(page.leaves()).hasSizeBetween(1, 2);
            firsts.addAll(firsts(page));
            from = page.next();
        }
        OrderedMapsPlacement whole = placement(1, Slice.EMPTY, 100);
        assertThat(firsts)
                .isEqualTo(firsts(placement(1, Slice.EMPTY, 100)))
                .doesNotHaveDuplicates()
                .isSorted()
                .startsWith("");
        assertThat(firsts.subList(1, firsts.size())).isNotEmpty().allMatch(key -> key.matches("[0-9]{3}"));
        assertThatThrownBy(() -> placement(1, Slice.EMPTY, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    /** Leaves of the first group are not counted. */
    private boolean isOnlyWith(int node) {
        List<OrderedMapsStatistics.Group> groups = get(maps(1).readStatistics()).groups();
        return groups.stream().allMatch(group -> group.leaves() == (group.number() == node - 1 && node > 1 ? 1 : 0));
    }
}
