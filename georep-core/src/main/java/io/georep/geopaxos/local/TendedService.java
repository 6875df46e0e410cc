package io.georep.geopaxos.local;

import io.georep.geopaxos.core.execution.CallerReads;
import io.georep.geopaxos.core.execution.Footprint;
import io.georep.geopaxos.core.execution.Service;
import io.georep.geopaxos.core.map.MapClock;
import io.georep.geopaxos.core.map.OrderedMapService;
import io.georep.model.Slice;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The state of the maps, which also proposes upkeep: now and then which leaves are to be split or joined and, if this node has
 * set the clock last, which entries have expired. Called by the driver.
 */
final class TendedService implements Service {
    /**
     * How many operations there are between two looks. A leaf exceeds its capacity by at most this many entries, and by those
     * that are under way.
     */
    private static final int LOOK_EVERY = 16;

    private static final int MOST = 8;

    /** Leaves with expired entries that are under way: the next ones follow when these are done. */
    private static final int EXPIRIES_MAX = 1024;

    /** What the clock of the maps has to do with this node. */
    interface Clock {
        /** What it shows now; null if no entry expires. */
        void shows(MapClock.@Nullable Reading reading);

        boolean isMine(MapClock.Reading reading);
    }

    private final OrderedMapService maps;
    private final Consumer<Slice> upkeep;
    private final Clock clock;
    private final ChangeFeed feed;
    private MapClock.@Nullable Reading reading;

    /** Removals that were proposed at this reading and are not executed. */
    private final Set<Slice> expiries = new HashSet<>();

    private int operations;

    TendedService(OrderedMapService maps, Consumer<Slice> upkeep, Clock clock, ChangeFeed feed) {
        this.maps = maps;
        this.feed = feed;
        maps.watch(feed);
        feed.reloaded(); // after a restart, changes that were told before may be told again
        this.upkeep = upkeep;
        this.clock = clock;
    }

    @Override
    public Slice execute(Slice operation, Births births) {
        Slice result = maps.execute(operation, births);
        if (++operations % LOOK_EVERY == 0) {
            maps.upkeep(MOST, births).forEach(upkeep);
        }
        if (reading != null || maps.hasMortals()) {
            if (!expiries.isEmpty()) {
                expiries.remove(operation);
            }
            look();
        }
        return result;
    }

    private void look() {
        MapClock.Reading now = maps.hasMortals() ? maps.clock() : null;
        if (!Objects.equals(now, reading)) {
            reading = now;
            expiries.clear();
            clock.shows(now);
        }
        if (now != null && expiries.isEmpty() && clock.isMine(now)) {
            expiries.addAll(maps.expired(now.time(), EXPIRIES_MAX));
            List.copyOf(expiries).forEach(upkeep);
        }
    }

    @Override
    public @Nullable String refusal(Slice operation) {
        return maps.refusal(operation);
    }

    @Override
    public List<String> procedures() {
        return maps.procedures();
    }

    @Override
    public @Nullable String procedure(Slice operation) {
        return maps.procedure(operation);
    }

    @Override
    public @Nullable String noRoom(Slice operation) {
        return maps.noRoom(operation);
    }

    @Override
    public long keptBytesMax() {
        return maps.keptBytesMax();
    }

    @Override
    public long entries() {
        return maps.entries();
    }

    @Override
    public long bytes() {
        return maps.bytes();
    }

    @Override
    public @Nullable Object news() {
        return feed.take();
    }

    @Override
    public CallerReads.@Nullable Part part(byte[] begin, byte[] rest) {
        return maps.part(begin, rest);
    }

    @Override
    public long hash(byte[] begin, byte[] rest) {
        return maps.hash(begin, rest);
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
    public void traceUse(Slice operation, Accesses accesses) {
        maps.traceUse(operation, accesses);
    }

    @Override
    public void walk(Slice from, Walk walk) {
        maps.walk(from, walk);
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
        Loading loading = maps.load();
        return new Loading() {
            @Override
            public void add(long object, Slice content) {
                loading.add(object, content);
            }

            @Override
            public void finish() {
                loading.finish();
                look();
            }
        };
    }
}
