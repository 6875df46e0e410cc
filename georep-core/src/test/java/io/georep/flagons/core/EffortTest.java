package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.Slice;
import org.junit.jupiter.api.Test;

/** A node that misses more than was asked does more, up to a bound, and less again when it misses nothing. */
class EffortTest {
    private static final FleetSettings SETTINGS = FleetSettings.hardened(100);

    private final Effort effort = new Effort(SETTINGS);
    private long now;

    /** Of one of 30 nodes. */
    private static Event of(int source) {
        return from("n" + source % 30);
    }

    private static Event from(String address) {
        Contact origin = Contact.at(1, address);
        FleetOperation put =
                new FleetOperation(new RequestId(1, 1), FleetOperation.Kind.PUT, Slice.utf8("k"), Slice.utf8("v"));
        return new Event(new OrderKey(1, 1), origin, put);
    }

    private void rounds(int count, int late, int repaired) {
        for (int i = 0; i < count; i++) {
            for (int event = 0; event < 1_000; event++) {
                effort.delivered(of(event), SETTINGS.horizon());
                effort.own(of(event));
            }
            for (int event = 0; event < late; event++) {
                effort.late(of(event));
            }
            for (int event = 0; event < repaired; event++) {
                effort.repaired(of(event));
            }
            now += 30_000;
            effort.look(now);
        }
    }

    @Test
    void whatComesTooLateMakesItWaitLonger() {
        rounds(1, 10, 0);

        assertThat(effort.horizon()).isGreaterThan(SETTINGS.horizon());
        assertThat(effort.fanout()).isEqualTo(SETTINGS.fanout());
        assertThat(effort.holeRate()).isBetween(.005, .02);

        rounds(20, 100, 0);
        assertThat(effort.horizon()).as("bounded").isEqualTo(SETTINGS.horizon() * 3 / 2);

        rounds(20, 0, 0);
        assertThat(effort.horizon()).isEqualTo(SETTINGS.horizon());
    }

    @Test
    void whatDoesNotComeAtAllMakesItPassOnMore() {
        rounds(1, 0, 10);

        assertThat(effort.fanout()).isGreaterThan(SETTINGS.fanout());
        assertThat(effort.horizon()).isEqualTo(SETTINGS.horizon());

        rounds(20, 0, 100);
        assertThat(effort.fanout()).as("bounded").isEqualTo(2 * SETTINGS.fanout());
    }

    @Test
    void oneThatIsMissedIsChance() {
        rounds(1, 1, 1);

        assertThat(effort.fanout()).isEqualTo(SETTINGS.fanout());
        assertThat(effort.horizon()).isEqualTo(SETTINGS.horizon());
    }

    @Test
    void whatIsMissedFarTooOftenIsKnownAtOnceAndForgottenInTime() {
        rounds(1, 0, 9);
        assertThat(effort.missesFarMore()).as("nine of a thousand").isFalse();

        for (int event = 0; event < 10; event++) {
            effort.late(of(event));
        }
        assertThat(effort.missesFarMore()).as("ten of ten, so far").isTrue();

        rounds(1, 0, 0);
        assertThat(effort.missesFarMore()).as("ten of a thousand and ten").isFalse();

        rounds(1, 20, 0);
        assertThat(effort.missesFarMore()).as("of the last half minute").isTrue();
        rounds(1, 0, 0);
        assertThat(effort.missesFarMore()).isFalse();
    }

    @Test
    void whatIsMissedOfAThirdOfTheOthersIsTheirDoing() {
        rounds(1, 0, 0);
        for (int event = 0; event < 500; event++) {
            effort.delivered(of(event), SETTINGS.horizon());
            effort.late(of(event % 10));
            effort.repaired(of(event % 10));
            effort.own(of(event));
        }
        assertThat(effort.missesFarMore()).as("ten of 30").isFalse();

        effort.late(of(10));
        assertThat(effort.missesFarMore()).as("eleven of 30").isTrue();
    }

    /** Sources that are invented are as many as one likes, and are forgotten with the half minute. */
    @Test
    void noMoreSourcesAreKeptThanAFewThousand() {
        for (int source = 0; source < 4_096; source++) {
            effort.delivered(from("n" + source), SETTINGS.horizon());
        }
        for (int source = 0; source < 10_000; source++) {
            effort.late(from("invented" + source));
        }
        assertThat(effort.missesFarMore()).isFalse();

        rounds(1, 0, 0);
        rounds(1, 20, 0);
        assertThat(effort.missesFarMore()).isTrue();
    }
}
