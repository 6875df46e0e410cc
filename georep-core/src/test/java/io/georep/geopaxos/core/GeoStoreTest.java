package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.consensus.LogTiming;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GeoRecord;
import io.georep.geopaxos.core.messages.StatePiece;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.TestTurn;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A state is stored in pieces, and one that has not come to its end counts for nothing, whenever the node crashes. */
class GeoStoreTest {
    private static final NodeId SELF = NodeId.of("n1");
    private static final GeoGroups GROUPS =
            new GeoGroups(List.of(SELF), List.of(List.of(SELF)), 1, node -> 0, new LogTiming(1, 10, 1, 30));

    private final TestTurn turn = new TestTurn();
    private GeoStore store = new GeoStore(GROUPS);
    private GeoRecord found = boot();

    /** What was not stored by then is lost. */
    private GeoRecord boot() {
        store = new GeoStore(GROUPS);
        GeoRecord record = store.boot(turn.disk(), false, turn);
        turn.completeStore();
        return record;
    }

    private static StatePiece piece(long object, String content) {
        return new StatePiece(StatePiece.Name.object(object), Slice.utf8(content));
    }

    private void store(StatePiece... pieces) {
        for (StatePiece piece : pieces) {
            store.piece(piece.name(), piece.content(), turn);
        }
    }

    @Test
    void onlyWhatChangedIsStoredAgain() {
        store(piece(1, "one"), piece(-2, "two"), piece(3, "three"));
        store.head(Slice.utf8("first"), turn);
        turn.completeStore();
        store(piece(-2, "other"));
        store.piece(StatePiece.Name.object(3), null, turn);
        store.head(Slice.utf8("second"), turn);
        turn.completeStore();

        found = boot();

        assertThat(found.head()).isEqualTo(Slice.utf8("second"));
        assertThat(found.pieces()).containsExactlyInAnyOrder(piece(1, "one"), piece(-2, "other"));
    }

    @Test
    void aStateThatHasNotComeToItsEndCountsForNothing() {
        store(piece(1, "own"));
        store.head(Slice.utf8("own"), turn);
        turn.completeStore();
        store.stage(piece(1, "theirs"), turn);
        store.stage(piece(2, "theirs"), turn);
        turn.completeStore();
        store(piece(4, "own"));
        store.head(Slice.utf8("later"), turn);
        turn.completeStore();

        found = boot();
        assertThat(found.head()).isEqualTo(Slice.utf8("later"));
        assertThat(found.pieces()).containsExactlyInAnyOrder(piece(1, "own"), piece(4, "own"));

        store.stage(piece(3, "theirs"), turn);
        turn.completeStore();
        store.takeStaged(turn);
        store(piece(5, "since"));
        store.head(Slice.utf8("theirs"), turn);
        turn.completeStore();
        for (int again = 0; again < 2; again++) {
            found = boot();
            assertThat(found.head()).isEqualTo(Slice.utf8("theirs"));
            assertThat(found.pieces())
                    .as("without what was staged before the crash")
                    .containsExactlyInAnyOrder(piece(3, "theirs"), piece(5, "since"));
        }
    }

    /** A process goes on with a store that is another seat now, and what it was sent before had another generation. */
    @Test
    void whatIsStagedForAnotherSeatCountsForNothingEither() {
        store.stage(piece(1, "theirs"), turn);
        store.takeStaged(turn);
        store.head(Slice.utf8("theirs"), turn);
        turn.completeStore();
        store.reseat(false, turn);
        store.stage(piece(2, "torn"), turn);
        turn.completeStore();

        found = boot();
        assertThat(found.head()).isNull();
        store(piece(3, "own"));
        store.head(Slice.utf8("own"), turn);
        turn.completeStore();

        found = boot();
        assertThat(found.pieces()).containsExactly(piece(3, "own"));
    }

    @Test
    void anotherSeatHasNoState() {
        store(piece(1, "own"));
        store.stage(piece(2, "theirs"), turn);
        store.head(Slice.utf8("own"), turn);
        turn.completeStore();
        assertThat(store.reseat(false, turn).head()).isNull();
        turn.completeStore();

        found = boot();
        assertThat(found.head()).isNull();
        assertThat(found.pieces()).isEmpty();
    }
}
