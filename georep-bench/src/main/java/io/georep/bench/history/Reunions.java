package io.georep.bench.history;

import java.util.List;
import java.util.Map;

/** How long after each accident all nodes saw each other again. Used by one thread. */
final class Reunions {
    private final List<Event> events;
    private final List<Trouble> troubles;
    private final Map<String, Totals> kinds;

    Reunions(List<Event> events, List<Trouble> troubles, Map<String, Totals> kinds) {
        this.events = events;
        this.troubles = troubles;
        this.kinds = kinds;
    }

    void judge() {
        List<Event.Accident> accidents = events.stream()
                .filter(Event.Accident.class::isInstance)
                .map(Event.Accident.class::cast)
                .toList();
        for (int i = 0; i < accidents.size(); i++) {
            Event.Accident accident = accidents.get(i);
            long over = troubles.stream()
                    .filter(trouble -> trouble.accident() == accident.number()
                            && trouble.fault() != Fault.STARVED
                            && trouble.until() != Long.MAX_VALUE)
                    .mapToLong(Trouble::until)
                    .max()
                    .orElse(accident.at());
            long next = i + 1 < accidents.size() ? accidents.get(i + 1).at() : Long.MAX_VALUE;
            long met = metSince(over);
            Totals totals = kinds.get(accident.kind());
            if (met < next && totals != null) {
                totals.reunited(met - over);
            }
        }
    }

    /** The first moment from here on at which all nodes saw each other. */
    private long metSince(long since) {
        boolean all = false;
        for (Event event : events) {
            if (event instanceof Event.Met met) {
                if (met.at() > since && all) {
                    return since;
                }
                all = met.all();
                if (all && met.at() > since) {
                    return met.at();
                }
            }
        }
        return all ? since : Long.MAX_VALUE;
    }
}
