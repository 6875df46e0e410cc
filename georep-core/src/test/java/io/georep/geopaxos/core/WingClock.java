package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.core.map.MapClock;
import io.georep.geopaxos.core.map.MapOperation;
import io.georep.geopaxos.core.map.MapResult;
import io.georep.geopaxos.core.map.OrderedMapService;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.simulation.SimulatedNode;
import io.georep.simulation.World;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The clock of the maps on the nodes of a {@link GeoWing}: each looks at it, as its local side would. No entry may go before its time, as
 * the world's clock shows.
 */
final class WingClock {
    private static final long LOOK_MAX = 500 * World.MILLIS;

    /** The clock of a node may be that much faster: 1 %. */
    private static final long TOO_FAST = 100;

    /** Between two boots of a node. */
    private static final class Ticker {
        final MapClock clock;

        @Nullable
        Object tick;

        final Set<Object> removals = new HashSet<>();

        Ticker(MapClock clock) {
            this.clock = clock;
        }
    }

    private record Wish(Ticker ticker, long number) {}

    private final GeoWing wing;
    private final RandomGenerator random;
    private final WingClients clients;
    private final Map<NodeId, Ticker> tickers = new TreeMap<>();

    /** When the time of entries ends. */
    private final Map<Slice, Long> ends = new HashMap<>();

    private long wishes;
    private long expired;
    private boolean rests;

    WingClock(GeoWing wing, RandomGenerator random, WingClients clients) {
        this.wing = wing;
        this.random = random;
        this.clients = clients;
    }

    void begin() {
        wing.world().after(1 + random.nextLong(LOOK_MAX), () -> {
            if (!rests) {
                wing.hosting().stream().filter(wing::serves).forEach(this::look);
                begin();
            }
        });
    }

    void rest() {
        rests = true;
    }

    void booting(SimulatedNode node) {
        tickers.remove(node.id());
    }

    private void look(SimulatedNode node) {
        Ticker ticker = tickers.computeIfAbsent(
                node.id(),
                id -> new Ticker(new MapClock(id.value(), wing.hosting().indexOf(node), wing.lease())));
        OrderedMapService map =
                (OrderedMapService) GeoWing.protocol(node).node().executor().service();
        MapClock.Reading reading = map.hasMortals() ? map.clock() : null;
        Slice tick = ticker.clock.look(
                reading, () -> ticker.tick != null, node.clock().nanos());
        if (tick != null) {
            ticker.tick = wish(node, ticker, tick);
        }
        if (reading != null && ticker.clock.isMine(reading) && ticker.removals.isEmpty()) {
            map.expired(reading.time(), 4).forEach(each -> ticker.removals.add(wish(node, ticker, each)));
        }
    }

    private Wish wish(SimulatedNode node, Ticker ticker, Slice operation) {
        Wish wish = new Wish(ticker, ++wishes);
        clients.keep(node, wish, operation);
        return wish;
    }

    /** A request has ended. */
    void event(GeoEvent event) {
        Object token = event instanceof GeoEvent.Answered answered
                ? answered.token()
                : event instanceof GeoEvent.Refused refused ? refused.token() : null;
        if (token instanceof Wish wish) {
            wish.ticker.removals.remove(wish);
            wish.ticker.tick = wish.equals(wish.ticker.tick) ? null : wish.ticker.tick;
        }
    }

    private long now() {
        return wing.world().now() + wing.world().leaptMillis() * World.MILLIS;
    }

    /** An operation was executed first anywhere. */
    void executed(Slice body, Slice result) {
        MapOperation operation = MapOperation.decode(body);
        MapResult outcome = MapResult.decode(result);
        if (operation instanceof MapOperation.Expire expire) {
            expire.keys().forEach(this::expires);
        } else if (outcome instanceof MapResult.Written written && written.applied()) {
            if (operation instanceof MapOperation.PutFor put) {
                long life = put.millis() * World.MILLIS;
                ends.put(put.entry().key(), now() + life - life / TOO_FAST);
            } else if (operation instanceof MapOperation.Put put) {
                ends.remove(put.entry().key());
            } else if (operation instanceof MapOperation.Remove remove) {
                ends.remove(remove.key());
            }
        }
    }

    private void expires(Slice key) {
        Slice get = MapOperation.encode(new MapOperation.Get(key));
        boolean isThere = !MapResult.decode(wing.judge().single().execute(get, (object, from) -> {}))
                .equals(new MapResult.Value(null));
        if (!isThere && ends.containsKey(key)) {
            assertThat(now()).as("M18: when %s expires", key).isGreaterThanOrEqualTo(ends.remove(key));
            expired++;
        }
    }

    @Override
    public String toString() {
        return expired + " expired";
    }
}
