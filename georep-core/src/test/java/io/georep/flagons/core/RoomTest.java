package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How much of what is on its way is kept, and for whom. */
class RoomTest {
    private static final Contact SELF = new Contact(7, "a", 1, 0);
    private static final Slice VALUE = Slice.of(new byte[Operation.VALUE_BYTES_MAX]);

    private final Room room = new Room(512, SELF);
    private long made;

    private Event event(long source) {
        Operation put = new Operation(new RequestId(source, made), Operation.Kind.PUT, Slice.utf8("k"), VALUE);
        return new Event(new OrderKey(made++, source), Contact.at(source, source == 7 ? "a" : "client"), put);
    }

    /** Each event is of another source. */
    private List<Event> fill(String from) {
        List<Event> taken = new ArrayList<>();
        for (Event next = event(made + 1000); room.take(next, from); next = event(made + 1000)) {
            taken.add(next);
        }
        return taken;
    }

    @Test
    void whoMakesUpSourcesLeavesRoomForTheOthers() {
        int taken = fill("liar").size();

        assertThat(taken * Operation.VALUE_BYTES_MAX).isBetween(Room.SHARE_MAX / 10 * 9, Room.SHARE_MAX);
        assertThat(room.take(event(1), "liar")).isFalse();
        assertThat(room.take(event(1), "other")).isTrue();
    }

    @Test
    void manyWhoDoSoFillNoMoreThanThereIs() {
        for (int i = 0; i < 20; i++) {
            fill("liar" + i);
        }

        assertThat(room.bytes()).isBetween(Room.BYTES_MAX / 10 * 9, Room.BYTES_MAX);
    }

    @Test
    void whatIsForgottenLeavesItsRoom() {
        fill("a").forEach(event -> room.leave(event, "a"));

        assertThat(room.bytes()).isZero();
        assertThat(fill("a")).isNotEmpty();
    }

    @Test
    void aSourceIsFullForItselfALittleBeforeItIsForOthers() {
        List<Event> own = new ArrayList<>();
        while (!room.isFull(SELF)) {
            own.add(event(7));
            assertThat(room.take(own.get(own.size() - 1), "a")).isTrue();
        }
        assertThat(own).hasSize(448);
        for (int i = 448; i < 512; i++) {
            assertThat(room.take(event(7), "a")).isTrue();
        }
        assertThat(room.take(event(7), "a")).isFalse();
        assertThat(room.take(event(7), "b"))
                .as("what somebody else has brought")
                .isTrue();

        own.forEach(event -> room.leave(event, "a"));
        assertThat(room.isFull(SELF)).isFalse();
        assertThat(room.take(event(7), "a")).isTrue();
    }

    /** Whatever it takes of its clients, others take of it. */
    @Test
    void whatANodeBringsForClientsIsWithinWhatOthersTakeOfIt() {
        Room other = new Room(512, new Contact(8, "b", 1, 0));
        List<Event> taken = new ArrayList<>();
        for (int client = 0; client < 3; client++) {
            Contact origin = Contact.at(100, "client" + client);
            while (!room.isFull(origin)) {
                Event made = event(1_000 + taken.size());
                Event event =
                        new Event(made.key(), Contact.at(made.key().source(), origin.address()), made.operation());
                assertThat(room.take(event, "a")).isTrue();
                assertThat(other.take(event, "a")).isTrue();
                taken.add(event);
            }
            assertThat(room.isFull(SELF)).as("after %d", client).isEqualTo(client >= 1);
        }
        assertThat(room.bytes()).isBetween(Room.SHARE_MAX / 5 * 4, Room.SHARE_MAX);

        taken.forEach(event -> room.leave(event, "a"));
        assertThat(room.bytes()).isZero();
        assertThat(room.isFull(Contact.at(100, "client0"))).isFalse();
    }
}
