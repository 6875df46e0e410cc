package io.georep.geopaxos.core.groups;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.geopaxos.core.messages.StatePiece;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** States that are sent are kept for those who take them, and for nobody else. */
class StatePagesTest {
    private static final NodeId OTHER = NodeId.of("other");
    private static final long PATIENCE = 100;

    private final List<GeoMessage> sent = new ArrayList<>();
    private final StatePages pages = new StatePages(1, PATIENCE, new Rules(), (to, message) -> sent.add(message));
    private int made;

    private Iterator<StatePiece> state() {
        made++;
        Slice content = Slice.of(new byte[1 << 20]);
        return List.of(new StatePiece(StatePiece.Name.object(1), content)).iterator();
    }

    @Test
    void aStateIsDroppedWhenItsReceiverIsGone() {
        pages.behind(OTHER, 0, this::state);
        pages.expire(8 * PATIENCE);
        pages.behind(OTHER, 8 * PATIENCE, this::state);
        assertThat(made).as("it is sent again").isEqualTo(1);

        pages.expire(8 * PATIENCE + 1);

        pages.behind(OTHER, 8 * PATIENCE + 1, this::state);
        assertThat(made).as("a new one is made for whoever comes back").isEqualTo(2);
    }

    @Test
    void aStateThatIsTakenIsNotDropped() {
        pages.behind(OTHER, 0, this::state);
        GeoMessage.Page first = (GeoMessage.Page) sent.get(0);
        pages.got(OTHER, new GeoMessage.Got(first.number(), first.end()), 7 * PATIENCE);

        pages.expire(8 * PATIENCE + 1);

        pages.behind(OTHER, 9 * PATIENCE, this::state);
        assertThat(made).isEqualTo(1);
    }
}
