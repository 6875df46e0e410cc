package io.georep.runtime;

import static io.georep.ModelChecker.check;

import io.georep.ModelChecker;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is handed over arrives once and in order, and nobody sleeps on it, under every schedule looked at. */
class HandOffModelTest {
    @Test
    void everythingArrivesInOrderAtAConsumerThatSleepsBetween() {
        ModelChecker.everySchedule(() -> {
            HandOff<Integer> handOff = new BlockingHandOff<>();
            Thread one = ModelChecker.start(() -> {
                handOff.offer(11);
                handOff.offer(12);
            });
            Thread other = ModelChecker.start(() -> handOff.offer(21));

            List<Integer> taken = new ArrayList<>();
            while (taken.size() < 3) {
                if (handOff.drainTo(taken, 2) == 0) {
                    handOff.await(Long.MAX_VALUE);
                }
            }

            ModelChecker.join(one);
            ModelChecker.join(other);
            check(taken.size() == 3 && taken.containsAll(List.of(11, 12, 21)), taken);
            check(taken.indexOf(11) < taken.indexOf(12), taken);
            check(handOff.isEmpty(), "more than was offered");
        });
    }

    @Test
    void whatWasAcceptedBeforeTheEndIsFoundAndNothingElse() {
        ModelChecker.everySchedule(() -> {
            HandOff<Integer> handOff = new BlockingHandOff<>();
            boolean[] accepted = new boolean[3];
            Thread one = ModelChecker.start(() -> {
                accepted[0] = handOff.offer(0);
                accepted[1] = handOff.offer(1);
            });
            Thread other = ModelChecker.start(() -> accepted[2] = handOff.offer(2));

            List<Integer> taken = new ArrayList<>();
            handOff.drainTo(taken, 1);
            handOff.close();
            ModelChecker.join(one);
            ModelChecker.join(other);
            handOff.drainTo(taken, 10);

            for (int item = 0; item < accepted.length; item++) {
                check(Collections.frequency(taken, item) == (accepted[item] ? 1 : 0), taken);
            }
        });
    }
}
