package io.georep.geopaxos.local;

import io.georep.geopaxos.core.Footprint;
import io.georep.geopaxos.core.Service;
import io.georep.geopaxos.core.map.OrderedMapService;
import io.georep.model.Slice;
import java.util.Iterator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The state of the maps. Now and then it tells which leaves are to be divided or joined. Called by the driver. */
final class TendedService implements Service {
    /** Operations between two looks. A leaf is at most this much larger than it should be, and by what is under way. */
    private static final int LOOK_EVERY = 16;

    private static final int MOST = 8;

    private final OrderedMapService maps;
    private final Consumer<Slice> upkeep;
    private int operations;

    TendedService(OrderedMapService maps, Consumer<Slice> upkeep) {
        this.maps = maps;
        this.upkeep = upkeep;
    }

    @Override
    public Slice execute(Slice operation, Births births) {
        Slice result = maps.execute(operation, births);
        if (++operations % LOOK_EVERY == 0) {
            maps.upkeep(0, MOST).forEach(upkeep);
        }
        return result;
    }

    @Override
    public @Nullable String refusal(Slice operation) {
        return maps.refusal(operation);
    }

    @Override
    public Footprint footprint(Slice operation) {
        return maps.footprint(operation);
    }

    @Override
    public void trace(Slice operation, Accesses accesses) {
        maps.trace(operation, accesses);
    }

    @Override
    public boolean has(long object) {
        return maps.has(object);
    }

    @Override
    public Slice content(long object) {
        return maps.content(object);
    }

    @Override
    public Iterator<Content> contents() {
        return maps.contents();
    }

    @Override
    public Loading load() {
        return maps.load();
    }
}
