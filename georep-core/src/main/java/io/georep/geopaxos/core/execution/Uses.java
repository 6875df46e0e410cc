package io.georep.geopaxos.core.execution;

import io.georep.model.Slice;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/** Which objects an operation uses in the present state, and whether it may write them. */
public record Uses(Map<Long, Boolean> objects) {
    public static Uses of(Slice body, Service service) {
        Map<Long, Boolean> objects = new LinkedHashMap<>();
        service.trace(body, (object, write) -> {
            objects.merge(object, write, Boolean::logicalOr);
            return true;
        });
        return new Uses(objects);
    }

    public boolean writes() {
        return objects.containsValue(true);
    }

    long[] numbers() {
        long[] numbers = new long[objects.size()];
        int place = 0;
        for (long object : objects.keySet()) {
            numbers[place++] = object;
        }
        return numbers;
    }

    /** Returns the groups that have all of these objects. */
    int common(Placement placement) {
        int common = -1;
        for (long object : objects.keySet()) {
            common &= placement.of(object);
        }
        return common;
    }

    /**
     * Returns the groups that an operation with these uses needs.
     *
     * @param nearest returns the group in a set that is nearest to this node
     */
    public int needed(Placement placement, IntUnaryOperator nearest) {
        int needed = 0;
        for (Map.Entry<Long, Boolean> each : objects.entrySet()) {
            int groups = placement.of(each.getKey());
            needed |= each.getValue() ? groups : 1 << nearest.applyAsInt(groups);
        }
        return needed == 0 ? 1 << nearest.applyAsInt(-1) : needed;
    }
}
