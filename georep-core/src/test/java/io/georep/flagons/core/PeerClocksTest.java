package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.model.Slice;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A node finds out that its clock is wrong, and one other node cannot make it believe that. */
class PeerClocksTest {
    private static final long WALL = 1_600_000_000_000L;
    private static final long HOUR = 3_600_000;
    private final PeerClocks clocks = new PeerClocks(1_250);

    @Test
    void eachNodeCountsOnceAndMostMustDiffer() {
        clocks.heard("a", WALL, WALL);
        clocks.heard("b", WALL, WALL);
        for (int i = 0; i < 40; i++) {
            clocks.heard("liar", WALL + HOUR, WALL);
        }
        assertThat(clocks.isOff()).isFalse();

        clocks.heard("a", WALL, WALL + HOUR);
        clocks.heard("b", WALL, WALL + HOUR);
        assertThat(clocks.isOff()).isTrue();
    }

    @Test
    void afterItWasSetSomebodyMustAgreeFirst() {
        assertThat(clocks.isSet(5, WALL)).isFalse();
        clocks.heard("a", WALL, WALL);
        assertThat(clocks.isSet(1_005, WALL + 1_000)).isFalse();
        assertThat(clocks.isOff()).isFalse();

        assertThat(clocks.isSet(1_010, WALL + 1_000 + HOUR)).isTrue();
        assertThat(clocks.isOff()).as("nobody has agreed").isTrue();
        clocks.heard("a", WALL + 1_005, WALL + 1_005 + HOUR);
        assertThat(clocks.isOff()).isTrue();

        assertThat(clocks.isSet(1_015, WALL + 1_010)).isTrue();
        clocks.heard("a", WALL + 1_010, WALL + 1_010);
        assertThat(clocks.isOff()).isFalse();
    }

    @Test
    void aNodeThatHearsNobodyAnyMoreBelievesItsClockAfterAWhile() {
        clocks.isSet(0, WALL);
        clocks.heard("a", WALL, WALL);
        clocks.isSet(10, WALL + HOUR);
        assertThat(clocks.isOff()).isTrue();

        clocks.isSet(11_000, WALL + HOUR + 10_990);
        assertThat(clocks.isOff()).isFalse();
    }

    /** A machine may sleep for years; what its node says of others then can be read. */
    @Test
    void agesOfYearsAreTold() {
        Contact contact = new Contact(1, "a:1", 2, 0);
        Known longAgo = new Known(contact, 3);
        long years = 20L * 365 * 86_400 * 8;
        FleetMessage told = new FleetMessage.Members(List.of(longAgo.aged(years)));
        Slice bytes = FleetCodec.write(told);

        assertThat(FleetCodec.read(FleetCodec.type(told), new BinReader(bytes))).isEqualTo(told);
        assertThat(longAgo.aged(years).age()).isGreaterThan(100_000);
    }
}
