package io.georep.outbox.core.sets;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.outbox.core.stream.FinishedSet;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** The set against a plain sorted set, over random operations around the chunk borders. */
class SequenceSetTest {
    private static final int SPACE = 5 * 4096 + 100;

    @RepeatedTest(30)
    void behavesLikeASortedSet(RepetitionInfo repetition) {
        Random random = new Random(repetition.getCurrentRepetition());
        SequenceSet set = new SequenceSet();
        TreeSet<Long> model = new TreeSet<>();

        for (int step = 0; step < 100; step++) {
            long from = random.nextInt(SPACE);
            long to = from + 1 + (random.nextBoolean() ? random.nextInt(5) : random.nextInt(SPACE));
            if (random.nextInt(4) == 0) {
                from &= -4096;
                to = (to + 4095) & -4096;
            }
            boolean add = random.nextBoolean();
            for (long member = from; member < to; member++) {
                if (add) {
                    model.add(member);
                } else {
                    model.remove(member);
                }
            }
            if (add) {
                set.add(from, to);
            } else {
                set.remove(from, to);
            }

            long probe = random.nextInt(SPACE * 2);
            assertThat(set.size()).isEqualTo(model.size());
            assertThat(set.contains(probe)).isEqualTo(model.contains(probe));
            assertThat(set.next(probe)).isEqualTo(orNone(model.ceiling(probe)));
            assertThat(set.previous(probe)).isEqualTo(orNone(model.floor(probe)));
            long absent = probe;
            while (model.contains(absent)) {
                absent++;
            }
            assertThat(set.nextAbsent(probe)).isEqualTo(absent);
            assertThat(set.all().total()).isEqualTo(model.size());
        }
    }

    private static long orNone(Long found) {
        return found == null ? -1 : found;
    }

    @RepeatedTest(20)
    void subtractsRangesLikeASortedSet(RepetitionInfo repetition) {
        Random random = new Random(repetition.getCurrentRepetition());
        SequenceSet left = randomSet(random);
        SequenceSet right = randomSet(random);
        SequenceSet expected = new SequenceSet();
        expected.addAll(left);
        expected.removeAll(right.all());

        RangeList difference = left.all().without(right.all());

        SequenceSet found = new SequenceSet();
        found.addAll(difference);
        assertThat(found).isEqualTo(expected);
        assertThat(left.within(right.all()).total()).isEqualTo(left.size() - expected.size());
    }

    private static SequenceSet randomSet(Random random) {
        SequenceSet set = new SequenceSet();
        for (int i = random.nextInt(40); i > 0; i--) {
            long from = random.nextInt(500);
            set.add(from, from + 1 + random.nextInt(30));
        }
        return set;
    }

    @Test
    void rangesSurviveTheWire() {
        SequenceSet set = randomSet(new Random(7));
        BinWriter out = new BinWriter();

        set.all().write(out);

        SequenceSet read = new SequenceSet();
        read.addAll(RangeList.read(new BinReader(out.view())));
        assertThat(read).isEqualTo(set);
    }

    @Test
    void givesALimitedNumberOfRangesWithinBounds() {
        SequenceSet set = new SequenceSet();
        for (long first = 0; first < 10_000; first += 10) {
            set.add(first, first + 5);
        }

        assertThat(set.firstRanges(2, 9_000, 3)).hasToString("[2..5 10..15 20..25]");
        assertThat(set.firstRanges(9_992, 9_994, 3)).hasToString("[9992..9994]");
        assertThat(set.firstRanges(20_000, Long.MAX_VALUE, 3).isEmpty()).isTrue();
        assertThat(set.last()).isEqualTo(9_994);
        assertThat(new SequenceSet().last()).isEqualTo(-1);
    }

    @Test
    void aFinishedSetMeltsIntoItsFloor() {
        FinishedSet finished = new FinishedSet();

        finished.add(5, 10);
        finished.add(20, 30);
        assertThat(finished.floor()).isZero();
        finished.add(0, 5);
        assertThat(finished.floor()).isEqualTo(10);
        finished.add(8, 20);

        assertThat(finished.floor()).isEqualTo(30);
        assertThat(finished.above().isEmpty()).isTrue();
        assertThat(finished.contains(29)).isTrue();
        assertThat(finished.contains(30)).isFalse();
        assertThat(finished.within(25, 40).total()).isEqualTo(5);
    }

    /** Memory and work belong to the holes, not to what lies between them. */
    @Test
    void aStreamOfABillionFinishedEntriesCostsItsHoles() {
        SequenceSet set = new SequenceSet();

        set.add(0, 1_000_000_000);
        set.remove(5, 6);
        set.remove(500_000_000, 500_000_001);
        set.remove(2, 4);
        set.add(2_000_000_000L, 3_000_000_000L);

        assertThat(set.pieces()).isEqualTo(8);
        assertThat(set.all()).hasToString("[0..2 4..5 6..500000000 500000001..1000000000 2000000000..3000000000]");
        assertThat(set.size()).isEqualTo(2_000_000_000L - 4);
        set.add(2, 4);
        set.add(5, 6);
        set.add(500_000_000, 500_000_001);
        assertThat(set.pieces()).isEqualTo(5);
        set.remove(0, Long.MAX_VALUE);
        assertThat(set.pieces()).isZero();
        assertThat(set.isEmpty()).isTrue();
    }

    @Test
    void oneEntryThatWaitsDoesNotMakeTheOthersCostABitEach() {
        FinishedSet waiting = new FinishedSet();

        waiting.add(0, 13);
        for (long next = 14; next < 1_000_000; next++) {
            waiting.add(next, next + 1);
        }

        assertThat(waiting.floor()).isEqualTo(13);
        assertThat(waiting.above().pieces()).isLessThanOrEqualTo(3);
        waiting.add(13, 14);
        assertThat(waiting.floor()).isEqualTo(1_000_000);
        assertThat(waiting.above().pieces()).isZero();
    }
}
