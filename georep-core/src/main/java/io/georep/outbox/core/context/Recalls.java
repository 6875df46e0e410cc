package io.georep.outbox.core.context;

import io.georep.model.NodeId;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.RecalledEntries;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.Turn;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Entries the application has although they are another node's by now (b7). It is asked for those that no handler has;
 * what it gives back is dealt with in {@code ReturnedEntries}. The node that claimed or ended them repeats its message
 * until it is confirmed. So a recall that comes while a handler has them is repeated, too.
 */
public final class Recalls {
    /** A claim that outranked the one of this node while the application had these entries. */
    private static final class Contest {
        final Custody claim;
        final NodeId from;
        final SequenceSet entries = new SequenceSet();

        Contest(Custody claim, NodeId from) {
            this.claim = claim;
            this.from = from;
        }
    }

    /** What to do with entries given back. */
    public interface Resolution {
        /** This claim was made on these entries. */
        void claimed(RangeList ranges, Custody claim, NodeId from);
    }

    private final Map<StreamTable, List<Contest>> contests = new LinkedHashMap<>();

    /** By queue; told at the end of the turn. */
    private final Map<String, RecalledEntries> asked = new LinkedHashMap<>();

    /** Asks for entries that the application has. */
    public void ask(StreamTable table, RangeList taken) {
        if (!taken.isEmpty()) {
            asked.computeIfAbsent(table.queue, none -> new RecalledEntries()).add(table.id, taken);
        }
    }

    /** Asks the application for entries that another node claims, and remembers the best claim. */
    public void contested(StreamTable table, RangeList taken, Custody claim, NodeId from) {
        ask(table, taken);
        RangeList won = taken;
        Contest same = null;
        List<Contest> known = contests.computeIfAbsent(table, none -> new ArrayList<>());
        for (Contest other : known) {
            if (other.claim.equals(claim)) {
                same = other;
            } else if (claim.outranks(other.claim)) {
                other.entries.removeAll(won);
            } else {
                won = won.without(other.entries.within(won));
            }
        }
        if (same == null) {
            same = new Contest(claim, from);
            known.add(same);
        }
        same.entries.addAll(won);
        forgetEmpty(table);
    }

    /** Settles the claims on entries that the application gave back or is done with. */
    public void resolve(StreamTable table, RangeList ranges, Resolution resolution) {
        for (Contest contest : List.copyOf(contests.getOrDefault(table, List.of()))) {
            RangeList hit = contest.entries.within(ranges);
            if (!hit.isEmpty()) {
                contest.entries.removeAll(hit);
                resolution.claimed(hit, contest.claim, contest.from);
            }
        }
        forgetEmpty(table);
    }

    private void forgetEmpty(StreamTable table) {
        List<Contest> known = contests.get(table);
        if (known != null) {
            known.removeIf(contest -> contest.entries.isEmpty());
            if (known.isEmpty()) {
                contests.remove(table);
            }
        }
    }

    /** Called about once a second: forgets claims on entries that the application has no more. */
    public void tick() {
        for (StreamTable table : List.copyOf(contests.keySet())) {
            for (Contest contest : contests.getOrDefault(table, List.of())) {
                RangeList entries = contest.entries.all();
                contest.entries.removeAll(entries.without(table.taken.within(entries)));
            }
            forgetEmpty(table);
        }
    }

    void endOfTurn(Turn turn) {
        asked.forEach((queue, entries) -> turn.notify(new OutboxEvent.Recall(queue, entries)));
        asked.clear();
    }
}
