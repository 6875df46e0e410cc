package io.georep.geopaxos.core.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import org.junit.jupiter.api.Test;

/** Which keys other threads must not read because of what waits. */
class RipeTest {
    private static final long LEAF = 1;
    private static final long OTHER_LEAF = 2;
    private static final long[] NONE = {};

    private final Ripe ripe = new Ripe();
    private long numbers;

    private Pending waits(Footprint footprint) {
        OpId id = new OpId(NodeId.of("n1"), 1, ++numbers);
        Pending each = new Pending(new Operation(id, 0b11, Operation.SERVICE, 0, 0, 0, 1, Slice.EMPTY), footprint, 2);
        ripe.add(each);
        return each;
    }

    private boolean isHeld(long key, long object) {
        Ripe.Held held = ripe.held();
        return held != null && held.has(key, object);
    }

    @Test
    void onlyWhatIsWrittenIsHeldAndAsLongAsOneOfItsWritesWaits() {
        assertThat(isHeld(5, LEAF)).isFalse();
        Pending first = waits(Footprint.keys(new long[] {7}, new long[] {5}));
        Pending second = waits(Footprint.keys(NONE, new long[] {5, 6}));
        ripe.add(first);
        Ripe.Held before = ripe.held();
        assertThat(isHeld(5, LEAF)).isTrue();
        assertThat(isHeld(7, LEAF)).as("it reads that").isFalse();

        ripe.remove(first);
        ripe.remove(first);
        assertThat(isHeld(5, LEAF)).as("the other one writes it, too").isTrue();
        ripe.remove(second);
        assertThat(isHeld(5, LEAF)).isFalse();
        assertThat(isHeld(6, LEAF)).isFalse();
        assertThat(before).isNotNull();
        assertThat(before.has(6, LEAF))
                .as("what was told before stays as it was")
                .isTrue();
    }

    @Test
    void theKeysOfALeafAreHeldWhileItMovesOrIsDivided() {
        Pending move = waits(Footprint.objects(LEAF));
        assertThat(isHeld(5, LEAF)).isTrue();
        assertThat(isHeld(5, OTHER_LEAF)).isFalse();
        ripe.remove(move);
        assertThat(isHeld(5, LEAF)).isFalse();
    }

    @Test
    void whatFindsItsKeysWhileItRunsHoldsAll() {
        Pending first = waits(Footprint.EVERYTHING);
        Pending second = waits(Footprint.EVERYTHING);
        ripe.remove(first);
        assertThat(isHeld(5, LEAF)).isTrue();
        ripe.remove(second);
        assertThat(isHeld(5, LEAF)).isFalse();
    }
}
