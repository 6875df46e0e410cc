package io.georep.geopaxos.core.map;

import io.georep.geopaxos.core.map.MapOperation.Call;
import io.georep.geopaxos.core.map.MapOperation.Expire;
import io.georep.geopaxos.core.map.MapOperation.Get;
import io.georep.geopaxos.core.map.MapOperation.Put;
import io.georep.geopaxos.core.map.MapOperation.PutFor;
import io.georep.geopaxos.core.map.MapOperation.Remove;
import io.georep.geopaxos.core.map.MapOperation.Tick;
import io.georep.model.Slice;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The procedures of this node, and which keys operations have. */
final class KnownProcedures {
    private final TreeMap<String, Procedure> byId = new TreeMap<>();

    KnownProcedures(Collection<? extends Procedure> procedures) {
        for (Procedure procedure : procedures) {
            if (byId.put(id(procedure.name(), procedure.version()), procedure) != null) {
                throw new IllegalArgumentException("two procedures are " + id(procedure.name(), procedure.version()));
            }
        }
    }

    private static String id(String name, int version) {
        return name + "/" + version;
    }

    static String id(Call call) {
        return id(call.name(), call.version());
    }

    List<String> names() {
        return List.copyOf(byId.keySet());
    }

    boolean has(Call call) {
        return byId.containsKey(id(call));
    }

    /** Returns the keys of an operation that has no others; none if it will fail. */
    Procedure.Keys keys(@Nullable MapOperation operation) {
        List<Slice> none = List.of();
        if (operation instanceof Get get) {
            return new Procedure.Keys(List.of(get.key()), none);
        } else if (operation instanceof Put put) {
            return new Procedure.Keys(none, List.of(put.entry().key()));
        } else if (operation instanceof PutFor put) {
            return new Procedure.Keys(List.of(MapClock.KEY), List.of(put.entry().key()));
        } else if (operation instanceof Tick) {
            return new Procedure.Keys(none, List.of(MapClock.KEY));
        } else if (operation instanceof Remove remove) {
            return new Procedure.Keys(none, List.of(remove.key()));
        } else if (operation instanceof Expire expire) {
            return new Procedure.Keys(none, expire.keys());
        } else if (operation instanceof Call call) {
            try {
                return get(call).keys(call.argument());
            } catch (Exception e) {
                return new Procedure.Keys(none, none);
            }
        }
        return new Procedure.Keys(none, none);
    }

    /** Without the procedure that was ordered, this node would get another state than all others. It must stop. */
    Procedure get(Call call) {
        Procedure procedure = byId.get(id(call));
        if (procedure == null) {
            throw new MissingProcedureError(id(call));
        }
        return procedure;
    }
}
