package io.georep.outbox.core.stream;

import io.georep.model.BrokenInvariantException;
import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.outbox.core.sets.OwnerView;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.sets.SequenceView;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Checks how the sets of a {@link StreamTable} relate to each other after each transition. A transition can break it only for
 * the entries it is about, so it is enough to look at those.
 */
public final class SetRelations {
    private record Named(String name, SequenceView set) {}

    /** Calls for a look at a part of the table. */
    private interface Look {
        boolean holds(long from, long to);
    }

    private static final Set<EntryState> HELD = EnumSet.of(EntryState.HELD);
    private static final Set<EntryState> LIVE = EnumSet.of(EntryState.HELD, EntryState.COPY);
    private static final Set<EntryState> ANY = EnumSet.allOf(EntryState.class);

    private final StreamTable table;
    private final RangeList ranges;

    private SetRelations(StreamTable table, RangeList ranges) {
        this.table = table;
        this.ranges = ranges;
    }

    /** Looks at the whole table. */
    public static boolean hold(StreamTable table) {
        return hold(table, RangeList.of(0, Long.MAX_VALUE));
    }

    /**
     * Looks at these entries.
     *
     * @return true
     * @throws BrokenInvariantException when two sets that have nothing in common do, or one has an entry it may not have
     */
    public static boolean hold(StreamTable table, RangeList ranges) {
        new SetRelations(table, ranges).check();
        return true;
    }

    private void check() {
        custodies();
        List<Named> ofTheHolder = List.of(
                new Named("ready", table.ready),
                new Named("taken", table.taken),
                new Named("dead", table.dead),
                new Named("held back", table.heldBack));
        ofTheHolder.forEach(each -> every(each.name, each.set, "what is held", (from, to) -> areIn(from, to, HELD)));
        // A put goes on waiting for its copies when another owner claims it: the copies are as good.
        every("pending", table.pending, "what is live", (from, to) -> areIn(from, to, LIVE));
        every("uncertain", table.uncertain, "what has a custody", (from, to) -> areIn(from, to, ANY));
        subset("over elsewhere", table.finishedElsewhere, "taken", table.taken);
        every("prepared", table.prepared, "what has a custody", (from, to) -> areIn(from, to, ANY));

        // Dead letters are held back like others: replayed at once, they could be forwarded twice.
        Named ready = new Named("ready", table.ready);
        Named taken = new Named("taken", table.taken);
        for (SequenceView other : List.of(table.dead, table.pending, table.heldBack, table.prepared)) {
            apart(ready, taken, new Named("dead, pending, held back or prepared", other));
        }

        for (NodeId owner : table.duties.untold.owners()) {
            every("untold", table.duties.untold.of(owner), "tombstones", this::areFinished);
        }
        duties(table.duties.unconfirmed, "what is live", LIVE);
        // A released owner still tells the owners that it replaced.
        duties(table.duties.unreleased, "what has a custody", ANY);
        duties(table.duties.missing, "what is held", HELD);
        duties(table.duties.unproven, "what is held", HELD);
    }

    private void custodies() {
        SequenceSet seen = new SequenceSet();
        for (Custodies.Part part : table.parts()) {
            require(!part.members().isEmpty(), "a custody", "has no entries");
            String name = part.custody().state().name();
            boolean live = part.custody().state() != EntryState.REMOVED;
            every(name, part.members(), "other than tombstones", (from, to) -> !table.finished.intersects(from, to));
            every(
                    name,
                    part.members(),
                    "what the store covers",
                    (from, to) -> !live || table.covered.nextAbsent(from) >= to);
            every(name, part.members(), "no other custody", (from, to) -> {
                long before = seen.size();
                seen.add(from, to);
                return seen.size() == before + to - from;
            });
        }
    }

    private void duties(OwnerView duties, String what, Set<EntryState> states) {
        for (NodeId owner : duties.owners()) {
            every("noted for an owner", duties.of(owner), what, (from, to) -> areIn(from, to, states));
        }
    }

    private boolean areFinished(long from, long to) {
        long above = Math.max(from, table.finished.floor());
        return above >= to || table.finished.above().nextAbsent(above) >= to;
    }

    private boolean areIn(long from, long to, Set<EntryState> states) {
        long at = from;
        while (at < to) {
            Custodies.Part part = table.partOf(at);
            if (part == null || !states.contains(part.custody().state())) {
                return false;
            }
            at = part.members().nextAbsent(at);
        }
        return true;
    }

    private void subset(String name, SequenceView inner, String outerName, SequenceView outer) {
        every(name, inner, outerName, (from, to) -> outer.nextAbsent(from) >= to);
    }

    private void apart(Named... sets) {
        for (int i = 0; i < sets.length; i++) {
            for (int k = i + 1; k < sets.length; k++) {
                SequenceView other = sets[k].set;
                if (!other.isEmpty()) {
                    every(
                            sets[i].name,
                            sets[i].set,
                            "other than " + sets[k].name,
                            (from, to) -> !other.intersects(from, to));
                }
            }
        }
    }

    private void every(String name, SequenceView set, String otherName, Look look) {
        if (set.isEmpty()) {
            return;
        }
        for (int i = 0; i < ranges.count(); i++) {
            set.forEachRun(
                    ranges.from(i),
                    ranges.to(i),
                    (from, to) -> require(look.holds(from, to), name, from + ".." + to + " must be in " + otherName));
        }
    }

    private void require(boolean holds, String name, String what) {
        if (!holds) {
            throw new BrokenInvariantException(table + ": " + name + " " + what);
        }
    }
}
