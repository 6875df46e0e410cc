package io.georep.flagons.core;

import java.util.HashMap;
import java.util.Map;

/**
 * How much there is room for of what is on its way: so many events of each source that the same neighbour has brought first, and so many bytes
 * of each neighbour, and in all. The source is what an event says, so a neighbour that makes up sources fills its own share of the bytes, and
 * one that names another node as the source takes nothing from what that one, and others, bring.
 */
final class Room {
    /** Of all events together. */
    static final int BYTES_MAX = 32 << 20;

    /** One neighbour has a quarter: in a fleet of two, all there is comes from one. */
    static final int SHARE_MAX = BYTES_MAX / 4;

    /** What an event takes besides its own bytes. */
    private static final int OVERHEAD = 256;

    /** Others count by their own clocks, so a node stops a little before they do. */
    private static final int SLACK = 8;

    /** A source, and who has brought its events. */
    private record Way(long source, String from) {}

    private final int perSourceMax;
    private final Map<Way, Integer> perSource = new HashMap<>();
    private final Map<String, Integer> perNeighbour = new HashMap<>();
    private int bytes;

    Room(int perSourceMax) {
        this.perSourceMax = perSourceMax;
    }

    /** Returns whether there is room for an event that somebody brings. */
    boolean has(Event event, String from) {
        int size = size(event);
        return perSource.getOrDefault(new Way(event.key().source(), from), 0) < perSourceMax
                && perNeighbour.getOrDefault(from, 0) + size <= SHARE_MAX
                && bytes + size <= BYTES_MAX;
    }

    /** Takes an event that somebody has brought, and returns whether there was room for it. */
    boolean take(Event event, String from) {
        if (!has(event, from)) {
            return false;
        }
        Way way = new Way(event.key().source(), from);
        int size = size(event);
        perSource.merge(way, 1, Integer::sum);
        perNeighbour.merge(from, size, Integer::sum);
        bytes += size;
        return true;
    }

    /** Forgets an event that was taken. */
    void leave(Event event, String from) {
        int size = size(event);
        perSource.computeIfPresent(new Way(event.key().source(), from), (way, count) -> count > 1 ? count - 1 : null);
        perNeighbour.computeIfPresent(from, (address, its) -> its > size ? its - size : null);
        bytes -= size;
    }

    private static int size(Event event) {
        return OVERHEAD + event.bytes();
    }

    /** Returns whether others may take no more events of a source, of which this node has those that somebody has brought. */
    boolean isFull(long source, String from) {
        return perSource.getOrDefault(new Way(source, from), 0) >= perSourceMax - perSourceMax / SLACK;
    }

    int bytes() {
        return bytes;
    }
}
