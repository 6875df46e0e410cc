package io.georep.geopaxos.core.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import org.junit.jupiter.api.Test;

/** Which timestamp a group gives. */
class GroupStateTest {
    private final GroupState groupState = new GroupState();

    private long next(long wanted) {
        OpId id = new OpId(NodeId.of("n1"), 1, 1);
        return groupState.next(new Operation(id, 0b11, Operation.SERVICE, 0, 0, 0, 1, wanted, Slice.EMPTY));
    }

    @Test
    void itIsTheOneThatTheContactWantsIfThatIsLaterThanAllBefore() {
        groupState.clock = 100;
        assertThat(next(0)).isEqualTo(101);
        assertThat(next(100)).isEqualTo(101);
        assertThat(next(300)).isEqualTo(300);
    }

    /** A contact that errs, or a group that is years ahead, takes away none of those that there are. */
    @Test
    void itIsNeverVeryMuchLater() {
        groupState.clock = 100;
        assertThat(next(Operation.NUMBER_MAX)).isEqualTo(100 + (1L << 32));
    }
}
