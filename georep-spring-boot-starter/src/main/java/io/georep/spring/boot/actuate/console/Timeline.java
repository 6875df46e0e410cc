package io.georep.spring.boot.actuate.console;

import io.georep.PeerChange;
import io.georep.model.PeerState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;

/** What happened, as this node saw it: the last {@value #EVENTS_MAX} events. Thread-safe. */
final class Timeline {
    static final int EVENTS_MAX = 300;

    /** What goes on is one event as long as no pause is longer. */
    private static final Duration PAUSE_MAX = Duration.ofMinutes(1);

    /**
     * Something that happened.
     *
     * @param at when, or when it went on last
     * @param kind a word for what it was
     * @param subject the node or queue that it happened to
     * @param count of how many entries; 0 if it is not about entries
     * @param text what it means
     */
    record Event(long number, Instant at, String kind, String subject, long count, String text) {}

    private final Deque<Event> events = new ArrayDeque<>();
    private long last;

    /** The view of this node on a peer has changed. */
    void peer(PeerChange change, Instant now) {
        add(kind(change), change.peer().value(), meaning(change), now);
    }

    private static String kind(PeerChange change) {
        return switch (change.after()) {
            case PROSPECT -> "heard-of";
            case ACTIVE -> change.before() == null || change.before() == PeerState.PROSPECT ? "met" : "returned";
            case SCHRODINGER -> "suspected";
            case TERMINATED -> "given-up";
            case ARNOLD -> "away";
        };
    }

    private static String meaning(PeerChange change) {
        return switch (change.after()) {
            case PROSPECT -> "it is known by name, but was not heard yet";
            case ACTIVE -> "it is heard, and gets copies";
            case SCHRODINGER -> "it is silent, and gets no new copies";
            case TERMINATED -> "it is given up, and its entries are adopted";
            case ARNOLD -> "it has said that it will return, and its entries wait for it";
        };
    }

    /** Something happened. */
    synchronized void add(String kind, String subject, String text, Instant now) {
        push(new Event(++last, now, kind, subject, 0, text));
    }

    /** Something happened to entries, perhaps as the rest of what an event tells already. */
    synchronized void count(String kind, String subject, long entries, String text, Instant now) {
        Iterator<Event> newestFirst = events.descendingIterator();
        while (newestFirst.hasNext()) {
            Event each = newestFirst.next();
            if (each.at().isBefore(now.minus(PAUSE_MAX))) {
                break;
            }
            if (each.kind().equals(kind)
                    && each.subject().equals(subject)
                    && each.text().equals(text)) {
                newestFirst.remove();
                push(new Event(each.number(), now, kind, subject, each.count() + entries, text));
                return;
            }
        }
        push(new Event(++last, now, kind, subject, entries, text));
    }

    private void push(Event event) {
        events.addLast(event);
        if (events.size() > EVENTS_MAX) {
            events.removeFirst();
        }
    }

    /** Returns all events, by their numbers. */
    synchronized Map<Long, Event> all() {
        Map<Long, Event> all = new TreeMap<>();
        events.forEach(event -> all.put(event.number(), event));
        return all;
    }
}
