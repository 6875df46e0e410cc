package io.georep.netty;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.funnel.FunnelSettings;
import io.georep.funnel.MapsStatus;
import io.georep.funnel.ReplicatedMap;
import io.georep.funnel.ReplicatedMaps;
import io.georep.keys.KeySpace;
import io.georep.keys.KeySpaces;
import io.georep.model.Slice;
import io.georep.spi.PayloadCodec;
import io.georep.testing.LocalViewMaster;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Keys and values of key spaces and of replicated maps stay where they belong. */
class NothingOfMapsShownTest extends MarkedNodes {
    @Test
    void ofKeySpaces() throws Exception {
        KeySpaces spaces = pair().get(0).service(KeySpaces.class);
        byte[] key = Marks.text("key").getBytes(US_ASCII);
        for (KeySpace space : List.of(spaces.local("offsets"), spaces.replicated("offsets", 1))) {
            answer(space.put(key, Marks.text("value").getBytes(US_ASCII)));
            assertThat(answer(space.get(key))).isNotNull();
            KeySpace.Page page = answer(space.scan(new byte[0], null, 10));
            assertThat(page.entries()).hasSize(1);
            shown.look(page);
            shown.look(space);
            shown.fails(() -> answer(space.put(key, new byte[64 << 20])));
        }
        shown.look(answer(spaces.readStatistics()));
    }

    @Test
    void ofReplicatedMaps() throws Exception {
        LocalViewMaster master = LocalViewMaster.of(FunnelSettings.defaults(), "n1", "n2");
        GeoRepNode first = start(protectedBuilder(1).replicatedMaps(FunnelSettings.defaults(), master));
        GeoRepNode second = start(protectedBuilder(2)
                .seeds(first.identity().address())
                .replicatedMaps(FunnelSettings.defaults(), master));
        List<ReplicatedMaps> both = List.of(first.service(ReplicatedMaps.class), second.service(ReplicatedMaps.class));
        await().atMost(LONG)
                .until(() -> both.stream().allMatch(maps -> maps.status().role() == MapsStatus.Role.SERVING));
        ReplicatedMap<String, String> map = both.get(0).map("routes", PayloadCodec.string(), PayloadCodec.string());
        ReplicatedMap<String, String> other = both.get(1).map("routes", PayloadCodec.string(), PayloadCodec.string());
        List<String> told = new CopyOnWriteArrayList<>();
        other.listen(change -> {
            shown.look(change);
            told.add(change.key());
            throw new IllegalStateException("thrown by the listener");
        });
        String key = Marks.text("key");
        String value = Marks.text("value");

        answer(map.put(key, value));

        assertThat(answer(other.read(key))).isEqualTo(value);
        await().atMost(LONG).until(() -> told.equals(List.of(key)));
        assertThat(answer(other.replace(key, Marks.text("other"), Marks.text("new"))))
                .isFalse();
        shown.fails(() -> answer(map.put(key, value.repeat(1 << 20))));
        shown.fails(() ->
                both.get(1).map("routes", PayloadCodec.string(), unreadable()).get(key));
        shown.look(map);
        for (ReplicatedMaps maps : both) {
            shown.look(maps);
            shown.look(maps.status());
            shown.look(answer(maps.readStatistics()));
        }
        second.close();
        shown.fails(() -> answer(other.put(key, value)));
    }

    private static PayloadCodec<String> unreadable() {
        return new PayloadCodec<>() {
            @Override
            public byte[] encode(String payload) {
                return new byte[0];
            }

            @Override
            public String decode(Slice bytes) throws IOException {
                throw new IOException("this is not what was expected");
            }
        };
    }
}
