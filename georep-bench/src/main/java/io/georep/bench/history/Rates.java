package io.georep.bench.history;

import java.util.List;
import java.util.function.Predicate;

/** Counts events by the second. */
final class Rates {
    private Rates() {}

    /** How many such events fall into each second of the run. */
    static int[] perSecond(List<Event> events, Predicate<Event> counted) {
        long last = events.stream().mapToLong(Event::at).max().orElse(0);
        int[] rates = new int[(int) (last / 1_000_000) + 1];
        for (Event event : events) {
            if (counted.test(event)) {
                rates[(int) (event.at() / 1_000_000)]++;
            }
        }
        return rates;
    }
}
