package io.georep.geopaxos.core.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.codec.GoldenFormats;
import io.georep.geopaxos.core.execution.Service;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Bytes of ordered maps: operations and results, which stand in logs and states, and leaves. */
class MapGoldenTest extends GoldenFormats {
    private static final int VERSION = 1;

    @Override
    protected String file() {
        return "ordered-maps";
    }

    @Override
    protected List<Format> formats() {
        List<Format> formats = new ArrayList<>();
        List<MapOperation> operations = MapFormatsTest.OPERATIONS;
        for (int place = 0; place < operations.size(); place++) {
            MapOperation operation = operations.get(place);
            String name = "operation " + place + " " + operation.getClass().getSimpleName();
            formats.add(format(
                    name, VERSION, MapOperation.encode(operation), operation, in -> MapOperation.decode(rest(in))));
        }
        List<MapResult> results = MapFormatsTest.RESULTS;
        for (int place = 0; place < results.size(); place++) {
            MapResult result = results.get(place);
            String name = "result " + place + " " + result.getClass().getSimpleName();
            formats.add(format(name, VERSION, MapResult.encode(result), result, in -> MapResult.decode(rest(in))));
        }
        MapFixture map = new MapFixture();
        map.put("a", "1");
        map.run(new MapOperation.Put(new MapEntry(Slice.utf8("b"), Slice.EMPTY, 300), Guard.NONE));
        Slice leaf = map.service.content(Leaf.FIRST);
        formats.add(format("leaf", VERSION, leaf, leaf, MapGoldenTest::leaf));
        return formats;
    }

    private static Slice rest(BinReader in) {
        return in.raw(in.remaining());
    }

    private static Slice leaf(BinReader in) {
        OrderedMapService service = new OrderedMapService(List.of());
        Service.Loading loading = service.load();
        loading.add(Leaf.FIRST, rest(in));
        loading.finish();
        return service.content(Leaf.FIRST);
    }

    @Test
    void everyOperationAndEveryResultHasGoldenBytes() {
        Stream<Class<?>> shown = Stream.concat(MapFormatsTest.OPERATIONS.stream(), MapFormatsTest.RESULTS.stream())
                .map(Object::getClass);
        assertThat(shown)
                .containsAll(List.of(MapOperation.class.getPermittedSubclasses()))
                .containsAll(List.of(MapResult.class.getPermittedSubclasses()));
    }
}
