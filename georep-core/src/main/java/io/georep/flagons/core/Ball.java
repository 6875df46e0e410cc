package io.georep.flagons.core;

import java.util.List;

/**
 * Events on their way, each with the age that it has when the ball leaves. All receivers in one process share one
 * ball, so nobody changes it.
 */
public final class Ball implements FleetMessage {
    private final List<Event> events;

    /** Of each event: milliseconds, or hops in the profile of the paper. */
    private final long[] ages;

    /** Creates a ball of as many ages as events. */
    public Ball(List<Event> events, long[] ages) {
        if (events.size() != ages.length) {
            throw new IllegalArgumentException(events.size() + " events, " + ages.length + " ages");
        }
        this.events = List.copyOf(events);
        this.ages = ages.clone();
    }

    int size() {
        return ages.length;
    }

    Event event(int index) {
        return events.get(index);
    }

    long age(int index) {
        return ages[index];
    }
}
