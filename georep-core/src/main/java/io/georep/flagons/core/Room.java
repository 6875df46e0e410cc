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

    /** One client has half of what this node may bring to others. */
    private static final int CLIENTS = 2;

    /** A quarter of it is left for this node's own application, however many clients there are. */
    private static final int OWN = 4;

    /** A source, and who has brought its events. */
    private record Way(long source, String from) {}

    private final int perSourceMax;
    /** Who brings to others what is made here. */
    private final String self;

    private final Map<Way, Integer> perSource = new HashMap<>();
    private final Map<String, Integer> perNeighbour = new HashMap<>();
    private int bytes;

    Room(int perSourceMax, String self) {
        this.perSourceMax = perSourceMax;
        this.self = self;
    }

    /** Returns whether there is room for an event that somebody brings. */
    boolean has(Event event, String from) {
        int size = size(event);
        return perSource.getOrDefault(new Way(event.key().source(), from), 0) < perSourceMax
                && perNeighbour.getOrDefault(from, 0) + size <= SHARE_MAX
                && bytes + size <= BYTES_MAX;
    }

    /**
     * Takes an event that somebody has brought, and returns whether there was room for it.
     *
     * @param client for whom this node has made it; otherwise the same who has brought it
     */
    boolean take(Event event, String from, String client) {
        if (!has(event, from)) {
            return false;
        }
        perSource.merge(new Way(event.key().source(), from), 1, Integer::sum);
        add(from, client, size(event));
        return true;
    }

    /** Forgets an event that was taken. */
    void leave(Event event, String from, String client) {
        Way way = new Way(event.key().source(), from);
        perSource.computeIfPresent(way, (its, count) -> count > 1 ? count - 1 : null);
        add(from, client, -size(event));
    }

    /** To others, what this node makes for a client is brought by this node. */
    private void add(String from, String client, int size) {
        bytes += size;
        add(from, size);
        if (!from.equals(client)) {
            add(client, size);
        }
    }

    private void add(String from, int size) {
        perNeighbour.merge(from, size, (its, more) -> its + more == 0 ? null : its + more);
    }

    private static int size(Event event) {
        return OVERHEAD + event.bytes();
    }

    /** Returns whether others may take no more of what this node makes, for itself or for a client. */
    boolean isFull(long source, String client) {
        boolean isClient = !client.equals(self);
        int share = SHARE_MAX - SHARE_MAX / SLACK;
        return perSource.getOrDefault(new Way(source, self), 0) >= perSourceMax - perSourceMax / SLACK
                || perNeighbour.getOrDefault(self, 0) >= (isClient ? share - share / OWN : share)
                || bytes >= BYTES_MAX - BYTES_MAX / SLACK
                || (isClient && perNeighbour.getOrDefault(client, 0) >= share / CLIENTS);
    }

    int bytes() {
        return bytes;
    }
}
