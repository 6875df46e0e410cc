package io.georep.funnel.core;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.BrokenInvariantException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Counters of maps that contradict each other end the turn, also where assertions are off: each of these would go on wrong quietly. */
class MapsInvariantTest extends ThreeNodes {
    @BeforeEach
    void aWriteIsUnderWay() {
        nodes.grant(ABC);
        nodes.delivers = sent -> false;
        a.put("k", "v");
        nodes.run();
    }

    private void breaks(Runnable transition, String promise) {
        transition.run();
        assertThatThrownBy(() -> a.protocol.endOfTurn(a.turn))
                .isInstanceOf(BrokenInvariantException.class)
                .hasMessageContaining(promise);
    }

    @Test
    void ownWritesAreUncommittedOnes() {
        breaks(() -> a.context().own.add(cell(), new Write.Own(null, false, 1)), "own writes are uncommitted ones");
    }

    @Test
    void noWritesTakeNoBytes() {
        breaks(
                () -> {
                    a.context().own.add(cell(), new Write.Own(null, false, 1));
                    a.context().own.remove(cell(), new Write.Own(null, false, 0));
                    Write write = a.context().writes.all().get(0);
                    a.context().writes.remove(write, a.turn);
                },
                "no writes take no bytes");
    }

    @Test
    void aKeyIsDirtyAsLongAsItHasWrites() {
        Write write = a.context().writes.all().get(0);
        breaks(
                () -> {
                    write.cell().remove(write);
                    a.context().writes.remove(write, a.turn);
                    Write again = new Write(write.group, write.counter, write.clock, write.content);
                    again.taken(write.cell());
                    a.context().writes.remove(again, a.turn);
                },
                "has a write");
    }

    @Test
    void nothingIsCountedWhereNothingIs() {
        breaks(() -> a.context().tables.changed(a.context().tables.cell(FunnelNodes.key("k")), 5), "takes bytes");
    }

    private Cell cell() {
        return a.context().tables.cell(FunnelNodes.key("k"));
    }
}
