package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How much of what is on its way is kept, and for whom. */
class RoomTest {
    private static final String SELF = "a";
    private static final Slice VALUE = Slice.of(new byte[FleetOperation.VALUE_BYTES_MAX]);

    private final Room room = new Room(512, SELF);
    private long made;

    private Event event(long source) {
        FleetOperation put =
                new FleetOperation(new RequestId(source, made), FleetOperation.Kind.PUT, Slice.utf8("k"), VALUE);
        return new Event(new OrderKey(made++, source), Contact.at(source, "client"), put);
    }

    /** Each event is of another source. */
    private List<Event> fill(String from) {
        List<Event> taken = new ArrayList<>();
        for (Event next = event(made + 1000); room.take(next, from, from); next = event(made + 1000)) {
            taken.add(next);
        }
        return taken;
    }

    @Test
    void whoMakesUpSourcesLeavesRoomForTheOthers() {
        int taken = fill("liar").size();

        assertThat(taken * FleetOperation.VALUE_BYTES_MAX).isBetween(Room.SHARE_MAX / 10 * 9, Room.SHARE_MAX);
        assertThat(room.take(event(1), "liar", "liar")).isFalse();
        assertThat(room.take(event(1), "other", "other")).isTrue();
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
        fill("a").forEach(event -> room.leave(event, "a", "a"));

        assertThat(room.bytes()).isZero();
        assertThat(fill("a")).isNotEmpty();
    }

    @Test
    void aSourceIsFullForItselfALittleBeforeItIsForOthers() {
        List<Event> own = new ArrayList<>();
        while (!room.isFull(7, SELF)) {
            own.add(event(7));
            assertThat(room.take(own.get(own.size() - 1), "a", "a")).isTrue();
        }
        assertThat(own).hasSize(448);
        for (int i = 448; i < 512; i++) {
            assertThat(room.take(event(7), "a", "a")).isTrue();
        }
        assertThat(room.take(event(7), "a", "a")).isFalse();
        assertThat(room.take(event(7), "b", "b"))
                .as("what somebody else has brought")
                .isTrue();

        own.forEach(event -> room.leave(event, "a", "a"));
        assertThat(room.isFull(7, SELF)).isFalse();
        assertThat(room.take(event(7), "a", "a")).isTrue();
    }

    /** Whatever it takes of its clients, others take of it. */
    @Test
    void whatANodeBringsForClientsIsWithinWhatOthersTakeOfIt() {
        Room other = new Room(512, "b");
        List<Event> taken = new ArrayList<>();
        List<String> clients = List.of("client0", "client1", "client2", SELF);
        for (String client : clients) {
            assertThat(room.isFull(7, SELF)).as("before %s", client).isFalse();
            while (!room.isFull(100, client)) {
                Event event = event(1_000 + taken.size());
                assertThat(room.take(event, SELF, client)).isTrue();
                assertThat(other.take(event, SELF, SELF)).isTrue();
                taken.add(event);
            }
            if (client.equals("client2")) {
                assertThat(room.bytes())
                        .as("of all clients")
                        .isBetween(Room.SHARE_MAX / 8 * 5, Room.SHARE_MAX / 16 * 11);
            }
        }
        assertThat(room.bytes()).isBetween(Room.SHARE_MAX / 5 * 4, Room.SHARE_MAX);
        assertThat(room.isFull(100, "client9")).isTrue();
    }

    @Test
    void whatWasMadeForAClientLeavesItsRoom() {
        List<Event> taken = new ArrayList<>();
        while (!room.isFull(100, "client")) {
            taken.add(event(1_000 + taken.size()));
            assertThat(room.take(taken.get(taken.size() - 1), SELF, "client")).isTrue();
        }
        taken.forEach(event -> room.leave(event, SELF, "client"));
        assertThat(room.bytes()).isZero();
        assertThat(room.isFull(100, "client")).isFalse();
        assertThat(fill("client")).as("as a neighbour").hasSizeGreaterThan(taken.size());
    }
}
