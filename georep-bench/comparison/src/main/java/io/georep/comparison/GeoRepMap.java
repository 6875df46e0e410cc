package io.georep.comparison;

import io.georep.GeoRepNode;
import io.georep.NodeBuilder;
import io.georep.funnel.FunnelSettings;
import io.georep.funnel.MapsStatus;
import io.georep.funnel.ReplicatedMap;
import io.georep.funnel.ReplicatedMaps;
import io.georep.funnel.Topology;
import io.georep.funnel.ViewGroup;
import io.georep.funnel.ViewMaster;
import io.georep.funnel.WriteOptions;
import io.georep.model.NodeId;
import io.georep.netty.NettyTransportFactory;
import io.georep.spi.PayloadCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A replicated map. The last node is the tail. */
final class GeoRepMap implements ComparedMap {
    private static final int PORT = 7400;
    private static final Duration WRITE_WITHIN = Duration.ofSeconds(60);

    private final GeoRepNode node;
    private final ReplicatedMaps maps;
    private final ReplicatedMap<String, byte[]> map;

    GeoRepMap(Place place) {
        Duration lease = Duration.ofMillis(place.leaseMillis());
        FunnelSettings defaults = FunnelSettings.defaults();
        FunnelSettings settings =
                defaults.lease(lease, defaults.clockRateError()).times(lease, WRITE_WITHIN, lease, lease.dividedBy(2));
        node = builder(place)
                .transport(new NettyTransportFactory(links -> links.openToAnyoneWhoReachesThePort(true)))
                .replicatedMaps(settings, ViewMaster.Factory.keptBy(group(place)))
                .start();
        maps = node.service(ReplicatedMaps.class);
        map = maps.map("bench", PayloadCodec.string(), PayloadCodec.bytes());
    }

    static NodeBuilder builder(Place place) {
        return GeoRepNode.builder()
                .nodeId(place.name())
                .site(place.name())
                .cluster("comparison")
                .listen(place.host(), PORT)
                .seeds(seeds(place))
                .dataDir(place.directory())
                .durability(place.durability());
    }

    private static List<String> seeds(Place place) {
        List<String> seeds = new ArrayList<>();
        for (int other = 0; other < place.nodes(); other++) {
            if (other != place.index()) {
                seeds.add(place.address(other, PORT));
            }
        }
        return seeds;
    }

    private static ViewGroup group(Place place) {
        String[] keepers = Stream.of(0, place.nodes() / 2, place.nodes() - 1)
                .distinct()
                .map(each -> place.names().get(each))
                .toArray(String[]::new);
        return ViewGroup.of(keepers)
                .founders(place.names().stream().map(NodeId::of).toList());
    }

    @Override
    public boolean ready() {
        return maps.status().role() == MapsStatus.Role.SERVING;
    }

    @Override
    public byte @Nullable [] read(String key) {
        return map.get(key);
    }

    @Override
    public CompletionStage<?> write(String key, byte[] value) {
        return map.put(key, value);
    }

    @Override
    public CompletionStage<?> write(String key, byte[] value, Topology topology) {
        return map.put(key, value, WriteOptions.defaults().topology(topology));
    }

    @Override
    public void listen(Consumer<byte[]> listener) {
        map.listen(change -> {
            byte[] value = change.value();
            if (value != null) {
                listener.accept(value);
            }
        });
    }

    @Override
    public void close() {
        node.close();
    }
}
