package io.georep.geopaxos.core;

import io.georep.geopaxos.OrderedMapsPlacement;
import io.georep.geopaxos.OrderedMapsPlacement.Leaf;
import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.geopaxos.core.placement.SiteCounts;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Tells operators where objects are and who uses them. The cost depends on how many objects are asked for, not on how many
 * there are.
 */
final class PlacementPage {
    private PlacementPage() {}

    static OrderedMapsPlacement of(GeoPaxos node, GeoCommand.ReadPlacement asked, long now) {
        List<Leaf> leaves = new ArrayList<>();
        Slice[] next = {null};
        node.executor().service().walk(asked.from(), (object, first, entries) -> {
            if (!isBefore(first, asked.end())) {
                return false;
            }
            if (leaves.size() == asked.most()) {
                next[0] = first;
                return false;
            }
            int groups = node.executor().placement().of(object);
            SiteCounts uses = node.placer().uses(object);
            leaves.add(new Leaf(
                    first,
                    entries,
                    IntStream.range(0, node.groups())
                            .filter(group -> (groups >> group & 1) != 0)
                            .boxed()
                            .toList(),
                    bySite(uses, uses == null ? null : uses::reads),
                    bySite(uses, uses == null ? null : uses::writes)));
            return true;
        });
        return new OrderedMapsPlacement(node.placer().decider(now), leaves, next[0]);
    }

    private static boolean isBefore(Slice one, Slice other) {
        return Arrays.compareUnsigned(one.toArray(), other.toArray()) < 0;
    }

    private static List<Integer> bySite(@Nullable SiteCounts uses, @Nullable IntFunction<Integer> count) {
        return uses == null || count == null
                ? List.of()
                : IntStream.range(0, uses.sites()).mapToObj(count).toList();
    }
}
