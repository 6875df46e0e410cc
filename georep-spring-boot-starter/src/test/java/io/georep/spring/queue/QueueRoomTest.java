package io.georep.spring.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.StreamId;
import org.junit.jupiter.api.Test;

class QueueRoomTest {
    private static final StreamId OWN = new StreamId(NodeId.of("n1"), 2, 0);
    private static final StreamId EARLIER = new StreamId(NodeId.of("n1"), 1, 0);

    private final QueueRoom room = new QueueRoom(2);

    @Test
    void givesAPlaceBackForAnOwnElement() throws InterruptedException {
        room.places().acquire();
        room.stored(OWN);

        room.ended(OWN);

        assertThat(room.places().availablePermits()).isEqualTo(2);
    }

    @Test
    void givesAPlaceBackWhenAnElementIsForwardedBeforeItsSendIsAnswered() throws InterruptedException {
        room.places().acquire();

        room.ended(OWN);
        room.stored(OWN);

        assertThat(room.places().availablePermits()).isEqualTo(2);
    }

    @Test
    void givesNoPlaceBackForElementsFromBefore() throws InterruptedException {
        room.places().acquire();

        room.ended(EARLIER);
        room.stored(OWN);
        room.ended(EARLIER);

        assertThat(room.places().availablePermits()).isEqualTo(1);
    }

    /** So a node that only forwards remembers nothing of the streams whose elements it took over. */
    @Test
    void forgetsEndsThatNobodyHereWaitsFor() throws InterruptedException {
        room.ended(OWN);
        room.places().acquire();
        room.stored(OWN);

        assertThat(room.places().availablePermits()).isEqualTo(1);
    }

    @Test
    void givesPlacesBackForElementsForwardedElsewhere() throws InterruptedException {
        room.places().acquire(2);
        room.ended(OWN, 1);
        room.stored(OWN);
        assertThat(room.places().availablePermits()).isEqualTo(1);

        room.ended(OWN, 1L << 40);

        assertThat(room.places().availablePermits()).isEqualTo(2);
    }

    @Test
    void neverHasMorePlacesThanItsCapacity() {
        room.stored(OWN);

        room.ended(OWN);

        assertThat(room.places().availablePermits()).isEqualTo(2);
    }
}
