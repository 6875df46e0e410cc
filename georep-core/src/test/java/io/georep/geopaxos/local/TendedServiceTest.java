package io.georep.geopaxos.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.core.map.Guard;
import io.georep.geopaxos.core.map.MapEntry;
import io.georep.geopaxos.core.map.MapOperation;
import io.georep.geopaxos.core.map.OrderedMapService;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TendedServiceTest {
    @Test
    void aLeafThatGrowsIsWishedToBeDivided() {
        List<Slice> wishes = new ArrayList<>();
        TendedService service = new TendedService(new OrderedMapService(List.of()), wishes::add);
        for (int i = 0; i < 64; i++) {
            put(service, i);
        }
        assertThat(wishes).isEmpty();

        for (int i = 64; i < 80; i++) {
            put(service, i);
        }
        assertThat(wishes).hasSize(1);
        List<Long> born = new ArrayList<>();
        service.execute(wishes.get(0), (object, from) -> born.add(object));
        assertThat(born).isNotEmpty().allMatch(service::has);
    }

    /** What is missing on this node is noticed before it is ordered. */
    @Test
    void anOperationThatTheMapsDoNotTakeIsRefused() {
        TendedService service = new TendedService(new OrderedMapService(List.of()), wish -> {});

        assertThat(service.refusal(MapOperation.encode(new MapOperation.Call("none", 1, Slice.EMPTY))))
                .contains("none/1");
    }

    private static void put(TendedService service, int number) {
        MapEntry entry = new MapEntry(Slice.utf8("k" + (100 + number)), Slice.EMPTY, 0);
        service.execute(MapOperation.encode(new MapOperation.Put(entry, Guard.NONE)), (object, from) -> {});
    }
}
