package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinWriter;
import io.georep.model.Slice;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a node finds on its disk when it starts again. */
class FleetDiskTest {
    private static final FleetSettings SETTINGS = FleetSettings.hardened(5);

    private TestTurn turn = new TestTurn();

    private FleetDisk boot() {
        FleetDisk disk = FleetDisk.boot(turn.disk(), SETTINGS, turn);
        turn.completeStore();
        return disk;
    }

    private void keep(Event event) {
        BinWriter out = new BinWriter();
        EventCodec.event(out, event);
        turn.store().put(FleetDisk.key(event.key()), out.toSlice());
        turn.completeStore();
    }

    private static Event event(long time) {
        Contact self = new Contact(9, "a:1", 1, 0);
        FleetOperation put =
                new FleetOperation(new RequestId(1, time), FleetOperation.Kind.PUT, Slice.utf8("k"), Slice.utf8("v"));
        return new Event(new OrderKey(time, 9), self, put);
    }

    @Test
    void aNodeThatStartsAgainHasItsPositionAndItsOperationsInTheirOrder() {
        FleetDisk first = boot();
        assertThat(first.takeLoaded()).isEmpty();
        keep(event(7));
        keep(event(-3));

        turn = turn.nextBoot(Duration.ofHours(11));
        FleetDisk second = boot();

        assertThat(second.position()).isEqualTo(first.position());
        assertThat(second.takeLoaded()).isEqualTo(List.of(event(-3), event(7)));
    }

    @Test
    void aNodeThatWasAwayForMoreThanHalfADayHasItsPositionOnly() {
        FleetDisk first = boot();
        keep(event(7));

        turn = turn.nextBoot(Duration.ofHours(13));
        FleetDisk second = boot();

        assertThat(second.position()).isEqualTo(first.position());
        assertThat(second.takeLoaded()).isEmpty();
        turn = turn.nextBoot(Duration.ofHours(1));
        assertThat(boot().takeLoaded()).as("at the boot after that").isEmpty();
    }

    /** Nobody can say whether somebody was there meanwhile, who has seen removals and dropped them. */
    @Test
    void aFleetThatWasDownAsAWholeForMoreThanHalfADayHasNothing() {
        boot();
        keep(event(7));
        TestTurn other = turn;
        turn = new TestTurn();
        boot();
        keep(event(7));

        turn = turn.nextBoot(Duration.ofHours(13));
        assertThat(boot().takeLoaded()).isEmpty();
        turn = other.nextBoot(Duration.ofHours(13));
        assertThat(boot().takeLoaded()).isEmpty();
    }

    @Test
    void aNodeThatStartsAgainHasAddressesOfSomeItKnew() {
        FleetDisk disk = boot();
        assertThat(disk.known()).isEmpty();
        tell(disk, "b:1", "c:1");
        tell(disk, "d:1");
        assertThat(disk.known()).as("they are not written all the time").containsExactly("b:1", "c:1");
        turn.advance(Duration.ofMinutes(1));
        tell(disk, "e:1");
        turn.advance(Duration.ofMinutes(1));
        tell(disk);

        turn = turn.nextBoot(Duration.ofHours(13));
        assertThat(boot().known()).as("also if it knows nobody at the end").containsExactly("e:1");
    }

    private void tell(FleetDisk disk, String... addresses) {
        disk.onTimer(() -> Stream.of(addresses).map(Contact::unmet).toList(), turn);
        turn.completeStore();
    }

    @Test
    void aNodeSaysNowAndThenThatItIsThere() {
        FleetDisk disk = boot();
        keep(event(7));
        for (int hour = 0; hour < 20; hour++) {
            turn.advance(Duration.ofHours(1));
            disk.onTimer(List::of, turn);
            turn.completeStore();
        }

        turn = turn.nextBoot(Duration.ofHours(1));
        assertThat(boot().takeLoaded()).hasSize(1);
    }

    /** Otherwise it would seem to have been there until the wrong time, however long it is away. */
    @Test
    void aNodeWhoseClockIsSetBackSaysAnewWhenItWasThere() {
        FleetDisk disk = boot();
        turn.stepWallClock(Duration.ofDays(2));
        disk.onTimer(List::of, turn);
        turn.stepWallClock(Duration.ofDays(-2));
        disk.onTimer(List::of, turn);
        turn.completeStore();
        keep(event(7));

        turn = turn.nextBoot(Duration.ofHours(13));
        assertThat(boot().takeLoaded()).isEmpty();
    }

    /** A clock that was behind when it ended must not empty it: if all nodes share a host, or there is one only, nobody has it then. */
    @Test
    void aNodeWhoseClockWasBehindWhenItEndedHasWhatItHad() {
        FleetDisk disk = boot();
        Event last = event(FleetClock.timeOf(turn.wallMillis()));
        keep(event(7));
        keep(last);
        turn.advance(Duration.ofMinutes(1));
        turn.stepWallClock(Duration.ofHours(-13));
        disk.onTimer(List::of, turn);
        turn.completeStore();

        turn = turn.nextBoot(Duration.ofHours(13));
        assertThat(boot().takeLoaded()).isEqualTo(List.of(event(7), last));
    }

    /** What it made by a clock that was ahead does not say that it was there then. */
    @Test
    void anEventOfTheFutureDoesNotSayThatANodeWasThere() {
        boot();
        keep(event(FleetClock.timeOf(turn.wallMillis() + Duration.ofDays(2).toMillis())));

        turn = turn.nextBoot(Duration.ofHours(13));
        assertThat(boot().takeLoaded()).isEmpty();
    }
}
