package io.georep.flagons.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.Slice;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * What a node has on disk. Keys begin with its channel and a kind.
 *
 * <pre>
 * 0                        = i64 position
 * 1                        = i64 wall clock in milliseconds, at most a minute before the node ended
 * 2 | i64 time | i64 source = event, sorted by place; the times with their signs turned
 * 3                        = texts: addresses of some nodes that it knew
 * </pre>
 */
final class FleetDisk {
    private static final int POSITION = 0;
    private static final int ALIVE = 1;
    private static final int EVENT = 2;
    private static final int KNOWN = 3;
    private static final int KNOWN_MAX = 16;
    private static final long ALIVE_MILLIS = 30_000;

    private final long position;
    private long aliveAt;
    private List<Event> loaded;
    private List<String> known;

    private FleetDisk(long position, List<Event> loaded, List<String> known) {
        this.position = position;
        this.loaded = loaded;
        this.known = known;
        aliveAt = Long.MIN_VALUE;
    }

    /** Reads what is there. A node that was away for too long starts with nothing but its position. */
    static FleetDisk boot(EntryStore store, FleetSettings settings, Turn turn) {
        long[] found = {turn.random().nextLong(), turn.wallMillis()};
        List<Event> events = new ArrayList<>();
        List<String> known = new ArrayList<>();
        store.scanNow(start(POSITION), start(KNOWN + 1), (key, value) -> {
            BinReader in = new BinReader(value);
            switch (key[1]) {
                case POSITION -> found[0] = in.i64();
                case ALIVE -> found[1] = in.i64();
                case KNOWN -> {
                    while (in.remaining() > 0) {
                        known.add(in.text());
                    }
                }
                default -> events.add(EventCodec.readEvent(in));
            }
            return true;
        });
        long away = turn.wallMillis() - Math.max(found[1], newest(events, turn.wallMillis()));
        if (away > settings.awayMillisMax()) {
            events.clear();
            turn.store().deleteRange(start(EVENT), start(EVENT + 1));
        }
        turn.store().put(start(POSITION), number(found[0]));
        FleetDisk disk = new FleetDisk(found[0], events, known);
        disk.onTimer(List::of, turn);
        return disk;
    }

    /** A clock that was behind for a moment must not make it seem to have been away: what it has got since then says that it was there. */
    private static long newest(List<Event> events, long wall) {
        return events.stream()
                .mapToLong(event -> FleetClock.millisOf(event.key().time()))
                .filter(millis -> millis <= wall)
                .max()
                .orElse(Long.MIN_VALUE);
    }

    private static byte[] start(int kind) {
        return new byte[] {FleetProtocol.CHANNEL, (byte) kind};
    }

    private static Slice number(long value) {
        return new BinWriter(Long.BYTES).i64(value).toSlice();
    }

    static byte[] key(OrderKey place) {
        return new BinWriter(18)
                .u8(FleetProtocol.CHANNEL)
                .u8(EVENT)
                .i64(place.time() ^ Long.MIN_VALUE)
                .i64(place.source() ^ Long.MIN_VALUE)
                .toArray();
    }

    /** Says now and then that the node is there, and whom it knows: if it comes back, these lead it to the fleet again. */
    void onTimer(Supplier<List<Contact>> others, Turn turn) {
        // A clock that was ahead must not make it seem to have been here until then.
        boolean isDue = aliveAt == Long.MIN_VALUE || Math.abs(turn.wallMillis() - aliveAt) >= ALIVE_MILLIS;
        if (isDue) {
            aliveAt = turn.wallMillis();
            turn.store().put(start(ALIVE), number(aliveAt));
        }
        List<String> now = !isDue && !known.isEmpty()
                ? List.of()
                : others.get().stream()
                        .map(Contact::address)
                        .distinct()
                        .limit(KNOWN_MAX)
                        .toList();
        if (!now.isEmpty()) {
            known = now;
            BinWriter out = new BinWriter(256);
            known.forEach(out::text);
            turn.store().put(start(KNOWN), out.toSlice());
        }
    }

    /** Returns addresses of nodes that it knew. */
    List<String> known() {
        return known;
    }

    long position() {
        return position;
    }

    /** Returns the operations that were on disk, once. */
    List<Event> takeLoaded() {
        List<Event> all = loaded;
        loaded = List.of();
        return all;
    }
}
