package io.georep.bench.history;

import java.util.ArrayList;
import java.util.List;

/**
 * One fault from its beginning to its end.
 *
 * @param fault what it was
 * @param node who suffered it or spoke; empty if all did
 * @param peer who was spoken to; empty unless it concerned a way
 * @param from when it began
 * @param until when it was over; {@link Long#MAX_VALUE} if never
 * @param accident number of the accident it was part of; 0 for none
 */
record Trouble(Fault fault, String node, String peer, long from, long until, int accident) {
    /** Returns whether it lies between two nodes, or is that of one of them. */
    boolean touches(String one, String other) {
        return switch (fault.scope()) {
            case NODE -> node.equals(one) || node.equals(other);
            case WAY -> (node.equals(one) && peer.equals(other)) || (node.equals(other) && peer.equals(one));
            case ALL -> true;
        };
    }

    /** Returns whether it, or what it leaves behind for so long, falls into a time. */
    boolean overlaps(long since, long till, long after) {
        return from <= till && (until == Long.MAX_VALUE || until + after >= since);
    }

    String describe() {
        String where = switch (fault.scope()) {
            case NODE -> " of " + node;
            case WAY -> " from " + node + " to " + peer;
            case ALL -> "";
        };
        return fault + where + " at " + Verdict.seconds(from) + " (accident " + accident + ")";
    }

    /** All troubles of a run, in the order in which they began. */
    static List<Trouble> all(List<Event> events) {
        List<Trouble> all = new ArrayList<>();
        int accident = 0;
        for (Event event : events) {
            if (event instanceof Event.Accident next) {
                accident = next.number();
            } else if (event instanceof Event.Began began) {
                all.add(new Trouble(began.fault(), began.node(), began.peer(), began.at(), Long.MAX_VALUE, accident));
            } else if (event instanceof Event.Over over) {
                all.replaceAll(trouble -> trouble.endedBy(over) ? trouble.until(over.at()) : trouble);
            }
        }
        return all;
    }

    private boolean endedBy(Event.Over over) {
        return until == Long.MAX_VALUE && fault == over.fault() && node.equals(over.node()) && peer.equals(over.peer());
    }

    private Trouble until(long at) {
        return new Trouble(fault, node, peer, from, at, accident);
    }
}
