package io.georep.funnel.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.funnel.View;
import io.georep.model.BrokenInvariantException;
import io.georep.model.NodeId;
import java.util.List;
import org.junit.jupiter.api.Test;

class StandingTest {
    private final Standing standing = new Standing();

    @Test
    void onlyWhoServesMayWrite() {
        adopt(1, 0);

        assertThatThrownBy(standing::open).isInstanceOf(BrokenInvariantException.class);
    }

    @Test
    void onlyWhoHasComparedServes() {
        adopt(1, 0);

        assertThatThrownBy(standing::serve).isInstanceOf(BrokenInvariantException.class);
    }

    @Test
    void aLearnerDoesNotCompare() {
        adopt(1, -1);

        assertThatThrownBy(standing::flush).isInstanceOf(BrokenInvariantException.class);
    }

    @Test
    void whoServesDoesNotLoseItsContent() {
        serve(1);

        assertThatThrownBy(standing::loseContent).isInstanceOf(BrokenInvariantException.class);
    }

    @Test
    void contentLastsThroughTheNextViewButNotWithoutAPlaceInIt() {
        serve(1);
        adopt(2, 0);
        assertThat(standing.hasContent()).isTrue();

        adopt(3, -1);
        assertThat(standing.hasContent()).isFalse();
    }

    @Test
    void anotherIncarnationIsInNoView() {
        serve(1);

        standing.beginAnew();

        assertThat(standing.viewNumber()).isZero();
        assertThat(standing.activeView()).isZero();
    }

    private void serve(long view) {
        adopt(view, 0);
        standing.flush();
        standing.serve();
        standing.open();
    }

    private void adopt(long view, int rank) {
        standing.adopt(new View(view, List.of(NodeId.of("a"))), rank);
    }
}
