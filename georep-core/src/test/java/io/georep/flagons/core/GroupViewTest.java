package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What a node makes of contacts of which nobody has told for long. */
class GroupViewTest {
    private static final int LONG_AGO = 300;
    private static final long FAR = 1L << 62;

    private final SplittableRandom random = new SplittableRandom(1);
    private final GroupView view =
            new GroupView(new Contact(1, "a:1", 0, 2), FleetSettings.hardened(100), random::nextLong, new Gone());

    private void learn(int id, long position) {
        view.learn(new Aged(new Contact(id, "n" + id + ":1", position, 2), 0));
    }

    @Test
    void showThatARangeIsDividedAndNothingElse() {
        for (int i = 0; i < 10; i++) {
            learn(10 + i, FAR + i);
        }
        assertThat(view.fleetSize()).isEqualTo(22);
        assertThat(view.nearest(FAR, 16)).hasSize(10);
        view.at(LONG_AGO);
        view.age();

        assertThat(view.within(Range.around(FAR, 1))).as("they are still known").hasSize(10);
        assertThat(view.fleetSize()).as("how many there are now").isEqualTo(2);
        assertThat(view.nearest(FAR, 16)).as("nobody is told of them").isEmpty();
    }

    @Test
    void areAskedIfThereIsNobodyElse() {
        learn(10, FAR);
        view.at(LONG_AGO);
        view.age();
        assertThat(view.nextTo(FAR)).isNotNull();

        learn(11, FAR + (1L << 60));
        for (int i = 0; i < 20; i++) {
            assertThat(view.nextTo(FAR).id()).isEqualTo(11);
        }
    }
}
