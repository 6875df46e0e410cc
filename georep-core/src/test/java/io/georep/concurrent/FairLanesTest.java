package io.georep.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.spi.Transport;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class FairLanesTest {
    private static final int GREEDY = 9;
    private static final int MODEST = 2;

    private final FairLanes<String> lanes = new FairLanes<>();

    private List<String> drain() {
        List<String> all = new ArrayList<>();
        for (String next = lanes.poll(); next != null; next = lanes.poll()) {
            all.add(next);
        }
        return all;
    }

    @Test
    void oneLaneAloneIsAQueue() {
        for (String item : List.of("a", "b", "c")) {
            lanes.add(MODEST, item, FairLanes.QUANTUM * 3);
        }

        assertThat(drain()).containsExactly("a", "b", "c");
        assertThat(lanes.isEmpty()).isTrue();
    }

    @Test
    void aLaneWaitsForOneTurnOfAnother() {
        for (int i = 0; i < 1_000; i++) {
            lanes.add(GREEDY, "greedy", FairLanes.QUANTUM / 4);
        }
        lanes.poll();
        lanes.add(MODEST, "modest", 100);

        assertThat(drain().indexOf("modest")).isLessThanOrEqualTo(4);
    }

    @Test
    void costsAreSharedNotItems() {
        for (int i = 0; i < 400; i++) {
            lanes.add(GREEDY, "large", FairLanes.QUANTUM);
            lanes.add(MODEST, "small", FairLanes.QUANTUM / 64);
        }

        List<String> first = drain().subList(0, 260);

        assertThat(Collections.frequency(first, "small")).isBetween(250, 258);
    }

    @Test
    void oneHugeItemIsMadeUpForAlsoWhenItsLaneIsEmptyMeanwhile() {
        lanes.add(GREEDY, "huge", FairLanes.QUANTUM * 10);
        lanes.add(MODEST, "modest", 1);
        assertThat(lanes.poll()).isEqualTo("huge");
        lanes.add(GREEDY, "huge", FairLanes.QUANTUM * 10);
        for (int i = 0; i < 20; i++) {
            lanes.add(MODEST, "modest", FairLanes.QUANTUM);
        }

        assertThat(drain().indexOf("huge")).isBetween(9, 12);
    }

    @Test
    void nobodyPaysForWhatKeptNobodyWaiting() {
        lanes.add(GREEDY, "huge", FairLanes.QUANTUM * 10);
        lanes.poll();
        lanes.add(GREEDY, "g", 1);
        for (int i = 0; i < 20; i++) {
            lanes.add(MODEST, "modest", FairLanes.QUANTUM);
        }

        assertThat(drain().indexOf("g")).isZero();
    }

    @Test
    void aLaneThatBecameEmptyTakesNobodysTurn() {
        lanes.add(3, "first", 1);
        lanes.add(MODEST, "second", 1);
        lanes.add(GREEDY, "third", FairLanes.QUANTUM * 3);
        lanes.add(GREEDY, "fourth", FairLanes.QUANTUM * 3);

        assertThat(drain()).containsExactly("first", "second", "third", "fourth");
    }

    @Test
    void whatComesInOrderComesAfterAllThatWasBeforeAndKeepsNobodyElse() {
        lanes.add(GREEDY, "g1", FairLanes.QUANTUM);
        lanes.add(GREEDY, "g2", FairLanes.QUANTUM);
        lanes.add(MODEST, "m1", 1);
        lanes.add(Transport.IN_ORDER, "goodbye", 1);
        lanes.add(MODEST, "m2", 1);

        List<String> order = drain();

        assertThat(order.indexOf("goodbye")).isGreaterThan(order.indexOf("g2")).isGreaterThan(order.indexOf("m1"));
        assertThat(order.indexOf("m2")).isLessThan(order.indexOf("goodbye"));
    }

    @Test
    void inOrderAloneIsAQueue() {
        lanes.add(Transport.IN_ORDER, "a", 1);
        lanes.add(Transport.IN_ORDER, "b", 1);

        assertThat(drain()).containsExactly("a", "b");
    }

    @Test
    void clearedItIsAsNew() {
        lanes.add(GREEDY, "g", FairLanes.QUANTUM * 5);
        lanes.add(Transport.IN_ORDER, "o", 1);
        lanes.clear();

        assertThat(lanes.isEmpty()).isTrue();
        lanes.add(GREEDY, "again", 1);
        assertThat(drain()).containsExactly("again");
    }
}
