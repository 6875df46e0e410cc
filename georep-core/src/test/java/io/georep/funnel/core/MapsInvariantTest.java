package io.georep.funnel.core;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.protocol.BrokenInvariantException;
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
        breaks(() -> a.context().ownWrites++, "own writes are uncommitted ones");
    }

    @Test
    void noWritesTakeNoBytes() {
        breaks(
                () -> {
                    a.context().ownWrites = 0;
                    a.context().ownNewKeys = 0;
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
                    write.isGone = false;
                    a.context().writes.remove(write, a.turn);
                },
                "has a write");
    }

    @Test
    void nothingIsCountedWhereNothingIs() {
        breaks(() -> a.context().tables.changed(a.context().tables.cell(FunnelNodes.key("k")), 5), "takes bytes");
    }
}
