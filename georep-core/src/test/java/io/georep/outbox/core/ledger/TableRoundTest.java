package io.georep.outbox.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.AbstractCollection;
import java.util.Collection;
import java.util.Iterator;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A heartbeat takes a few streams of many, and walks through no others. */
class TableRoundTest {
    private static final int MANY = 15_000;

    /** What is behind a key of a tree, with the steps that are taken through it: its size is found by walking. */
    private static final class Behind extends AbstractCollection<Integer> {
        private final Collection<Integer> values;
        private int steps;

        Behind(int key) {
            TreeMap<Integer, Integer> tree = new TreeMap<>();
            IntStream.range(0, MANY).forEach(number -> tree.put(number, number));
            values = tree.tailMap(key, false).values();
        }

        @Override
        public Iterator<Integer> iterator() {
            Iterator<Integer> all = values.iterator();
            return new Iterator<>() {
                @Override
                public boolean hasNext() {
                    return all.hasNext();
                }

                @Override
                public Integer next() {
                    steps++;
                    return all.next();
                }
            };
        }

        @Override
        public int size() {
            int size = 0;
            for (Iterator<Integer> next = iterator(); next.hasNext(); next.next()) {
                size++;
            }
            return size;
        }
    }

    @Test
    void theFirstFewAreTakenWithoutAWalkThroughAll() {
        Behind behind = new Behind(99);

        assertThat(TableRound.first(3, behind)).containsExactly(100, 101, 102);

        assertThat(behind.steps).isEqualTo(3);
    }

    @Test
    void allAreTakenWhereThereAreFewer() {
        assertThat(TableRound.first(3, new Behind(MANY - 3))).containsExactly(MANY - 2, MANY - 1);
        assertThat(TableRound.first(0, new Behind(0))).isEmpty();
    }
}
