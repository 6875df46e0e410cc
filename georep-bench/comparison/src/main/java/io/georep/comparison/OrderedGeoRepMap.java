package io.georep.comparison;

import io.georep.GeoRepNode;
import io.georep.geopaxos.OrderedMap;
import io.georep.geopaxos.OrderedMapSettings;
import io.georep.geopaxos.OrderedMaps;
import io.georep.netty.NettyTransportFactory;
import io.georep.spi.PayloadCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** An ordered map of one group, which the last node leads. */
final class OrderedGeoRepMap implements ComparedMap {
    private static final Duration WITHIN = Duration.ofSeconds(60);

    private final GeoRepNode node;
    private final OrderedMaps maps;
    private final OrderedMap<String, byte[]> map;

    OrderedGeoRepMap(Place place) {
        List<String> voters = new ArrayList<>(place.names());
        Collections.reverse(voters);
        node = GeoRepMap.builder(place)
                .transport(new NettyTransportFactory(links -> links.openToAnyoneWhoReachesThePort(true)))
                .orderedMaps(OrderedMapSettings.of(voters.toArray(String[]::new))
                        .times(Duration.ofMillis(place.leaseMillis()), WITHIN))
                .start();
        maps = node.service(OrderedMaps.class);
        map = maps.map("bench", PayloadCodec.string(), PayloadCodec.bytes());
    }

    @Override
    public boolean ready() throws Exception {
        return maps.readStatistics()
                        .toCompletableFuture()
                        .get(WITHIN.toSeconds(), TimeUnit.SECONDS)
                        .groups()
                        .get(0)
                        .leader()
                != null;
    }

    @Override
    public byte @Nullable [] read(String key) throws Exception {
        return map.get(key).toCompletableFuture().get(WITHIN.toSeconds(), TimeUnit.SECONDS);
    }

    @Override
    public CompletionStage<?> write(String key, byte[] value) {
        return map.put(key, value);
    }

    @Override
    public void close() {
        node.close();
    }
}
