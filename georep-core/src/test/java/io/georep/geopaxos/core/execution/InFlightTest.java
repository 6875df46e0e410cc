package io.georep.geopaxos.core.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.core.messages.Move;
import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import org.junit.jupiter.api.Test;

/** Which reads wait for what a leader has proposed and others may have executed. */
class InFlightTest {
    private static final long LEAF = 1;
    private static final long OTHER_LEAF = 2;
    private static final Footprint READ = Footprint.keys(new long[] {5}, new long[0]);
    private static final long[] IN_LEAF = {LEAF};

    private final InFlight proposed = new InFlight();

    private void proposes(long slot, int kind, Footprint footprint) {
        OpId id = new OpId(NodeId.of("n1"), 1, slot);
        proposed.proposed(slot, new Operation(id, 0b11, kind, 0, 0, 0, slot, Slice.EMPTY), footprint);
        proposed.shared(slot);
    }

    private void moves(long slot, long... objects) {
        proposes(slot, Operation.MOVE, Footprint.objects(new Move(objects, 0b01, 0b10).objects()));
    }

    /** Whoever has executed the move may have written the key in another group since. */
    @Test
    void aReadWaitsForAMoveOfTheObjectOfItsKeyAndForNoOther() {
        moves(9, OTHER_LEAF);
        assertThat(proposed.until(READ, IN_LEAF, 8)).as("another object").isZero();
        moves(10, OTHER_LEAF, LEAF);
        moves(11, OTHER_LEAF);
        assertThat(proposed.until(READ, IN_LEAF, 8)).isEqualTo(10);
        assertThat(proposed.until(READ, new long[] {OTHER_LEAF, LEAF}, 8))
                .as("of keys in both")
                .isEqualTo(11);
        assertThat(proposed.until(READ, IN_LEAF, 10)).as("processed").isZero();
    }

    @Test
    void nobodyReadsBesideTheDriverWhoseObjectMoves() {
        moves(9, OTHER_LEAF);
        assertThat(proposed.isAny(5, LEAF, 8)).as("another object").isFalse();
        moves(10, LEAF);
        assertThat(proposed.isAny(5, LEAF, 8)).isTrue();
        assertThat(proposed.isAny(5, LEAF, 10)).as("processed").isFalse();
    }

    /** What shows only in the execution is a write of all, and such a read meets all writes. */
    @Test
    void whatMayUseEverythingMeetsAll() {
        moves(9, OTHER_LEAF);
        assertThat(proposed.until(Footprint.EVERYTHING, IN_LEAF, 8)).isEqualTo(9);
        proposes(10, Operation.SERVICE, Footprint.EVERYTHING);
        assertThat(proposed.until(READ, IN_LEAF, 8)).isEqualTo(10);
        assertThat(proposed.isAny(5, LEAF, 8)).isTrue();
    }
}
