package io.georep.outbox.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryState;
import java.util.List;
import java.util.Map;

/** How the sets of a {@link StreamTable} lie to each other whenever a turn ends. */
final class SetRelations {
    private static final RangeList EVERYTHING = RangeList.of(0, Long.MAX_VALUE);

    private final StreamTable table;

    private SetRelations(StreamTable table) {
        this.table = table;
    }

    /** Fails when two sets of a table that should have no entry in common do, or one has an entry it may not have. */
    static void check(StreamTable table) {
        new SetRelations(table).check();
    }

    private void check() {
        RangeList held = in(EntryState.STORED);
        RangeList live = union(held, in(EntryState.INACTIVE));
        custodiesAreDisjoint();
        subset("what is live", live, "what the store covers", table.covered.all());
        disjoint("tombstones", table.finished.within(EVERYTHING), "custodies", union(live, in(EntryState.REMOVED)));

        Map<String, SequenceSet> ofTheHolder = Map.of(
                "ready", table.ready,
                "taken", table.taken,
                "dead", table.dead,
                "pending", table.pending,
                "held back", table.heldBack,
                "uncertain", table.uncertain);
        ofTheHolder.forEach((name, set) -> subset(name, set.all(), "what is held", held));
        subset("over elsewhere", table.overElsewhere.all(), "taken", table.taken.all());
        subset("prepared", table.prepared.all(), "what is live", live);
        inOneOf(Map.of("ready", table.ready, "taken", table.taken, "dead", table.dead, "held back", table.heldBack));
        inOneOf(Map.of("ready", table.ready, "taken", table.taken, "pending", table.pending));
        inOneOf(Map.of("ready", table.ready, "taken", table.taken, "prepared", table.prepared));

        table.untold.forEach((owner, set) ->
                subset("untold to " + owner, set.all(), "tombstones", table.finished.within(EVERYTHING)));
        for (Map<?, SequenceSet> perOwner : List.of(table.unconfirmed, table.unreleased)) {
            perOwner.forEach((owner, set) -> subset("told to " + owner, set.all(), "what is live", live));
        }
        for (Map<?, SequenceSet> perOwner : List.of(table.missing, table.unproven)) {
            perOwner.forEach((owner, set) -> subset("doubted for " + owner, set.all(), "what is held", held));
        }
    }

    private void custodiesAreDisjoint() {
        SequenceSet seen = new SequenceSet();
        for (StreamTable.Part part : table.parts()) {
            assertThat(part.members().isEmpty())
                    .as("%s is empty", part.custody())
                    .isFalse();
            disjoint(part.custody().toString(), part.members().all(), "another custody", seen.all());
            seen.addAll(part.members());
        }
    }

    private void inOneOf(Map<String, SequenceSet> sets) {
        sets.forEach((name, set) -> sets.forEach((otherName, other) -> {
            if (set != other) {
                disjoint(name, set.all(), otherName, other.all());
            }
        }));
    }

    private RangeList in(EntryState state) {
        return table.inState(state, EVERYTHING).all();
    }

    private static RangeList union(RangeList one, RangeList other) {
        SequenceSet union = new SequenceSet();
        union.addAll(one);
        union.addAll(other);
        return union.all();
    }

    private void disjoint(String name, RangeList one, String otherName, RangeList other) {
        assertThat(one.without(one.without(other)))
                .as("%s: entries in %s and in %s", table, name, otherName)
                .hasToString("[]");
    }

    private void subset(String name, RangeList inner, String outerName, RangeList outer) {
        assertThat(inner.without(outer))
                .as("%s: entries in %s and not in %s", table, name, outerName)
                .hasToString("[]");
    }
}
