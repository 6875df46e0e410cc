package io.georep.flagons.core;

/** An event on its way, as one node sees it. */
final class Flight {
    final Event event;

    /** Who brought it first. */
    final String from;

    /** The same, unless this node has made it for a client. */
    final String client;

    /** On the node's own monotonic clock, when the event was new; only where ages are milliseconds. */
    long bornAt;

    /** Rounds or hops so far; only where ages are hops. */
    long hops;

    /** The largest age among the copies of this round; only where ages are hops. */
    long carried;

    /** In how many rounds more it is passed on. */
    int relays;

    /** Whether it waits for its place in the order. */
    boolean waits;

    Flight(Event event, String from, String client, long bornAt) {
        this.event = event;
        this.from = from;
        this.client = client;
        this.bornAt = bornAt;
    }
}
