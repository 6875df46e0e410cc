package io.georep.geopaxos.core.map;

import io.georep.geopaxos.core.execution.Service.Accesses;
import io.georep.model.Slice;
import java.util.LinkedHashMap;
import java.util.Map;

/** Tells which leaves the keys of an operation are in. Each is told before it is looked at. */
final class KeyTraces {
    private KeyTraces() {}

    /** Tells those of declared keys. Returns whether it may go on. */
    static boolean declared(Leaves leaves, Procedure.Keys keys, Accesses accesses) {
        if (keys.reads().isEmpty() && keys.writes().size() == 1) {
            return accesses.use(leaves.of(keys.writes().get(0)).number, true);
        } else if (keys.writes().isEmpty() && keys.reads().size() == 1) {
            return accesses.use(leaves.of(keys.reads().get(0)).number, false);
        }
        Map<Long, Boolean> objects = new LinkedHashMap<>();
        keys.writes().forEach(key -> objects.put(leaves.of(key).number, true));
        keys.reads().forEach(key -> objects.putIfAbsent(leaves.of(key).number, false));
        for (Map.Entry<Long, Boolean> object : objects.entrySet()) {
            if (!accesses.use(object.getKey(), object.getValue())) {
                return false;
            }
        }
        return true;
    }

    /** Tells those of the keys that a procedure finds, for which it is executed without effect, as far as it may look. */
    static void found(Leaves leaves, Procedure procedure, Slice argument, Procedure.Keys keys, Accesses accesses) {
        try {
            procedure.execute(new DeclaredView(keys, leaves, accesses), argument);
        } catch (Exception e) {
            // it was stopped, or will fail: what it has told is what it uses
        }
    }
}
