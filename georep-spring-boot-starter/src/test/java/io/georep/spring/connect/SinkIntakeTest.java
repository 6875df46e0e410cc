package io.georep.spring.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.outbox.Delivery;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How tasks share what the outboxes hand over. */
class SinkIntakeTest {
    private static final Set<String> ALL = Set.of("busy", "rare", "other");

    private final SinkIntake intake = new SinkIntake(ALL, 1_000, 1_000);

    private static List<SinkEntry> entries(int count) {
        List<SinkEntry> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            entries.add(entryOf("none"));
        }
        return entries;
    }

    @Test
    void anOutboxThatAlwaysHasEntriesDoesNotKeepTheOthersOut() throws Exception {
        intake.open();
        for (String busy : ALL) {
            for (String rare : ALL) {
                if (!busy.equals(rare)) {
                    List<SinkEntry> one = entries(1);
                    intake.add(busy, entries(20));
                    intake.add(rare, one);
                    List<SinkEntry> taken = new ArrayList<>(intake.take(ALL, 10, 0, () -> false));
                    intake.add(busy, entries(10));
                    taken.addAll(intake.take(ALL, 10, 0, () -> false));

                    assertThat(taken).as("%s beside %s", rare, busy).containsAll(one);
                    while (!intake.take(ALL, 100, 0, () -> false).isEmpty()) {
                        // Whatever is left.
                    }
                }
            }
        }
    }

    /** Tasks flush what they have when they stop. */
    @Test
    void whatEndsAfterTheCloseDoesNotCountWhenItOpensAgain() throws Exception {
        intake.open();
        intake.add("busy", entries(1_000));
        intake.take(ALL, 1_000, 0, () -> false);
        intake.close();
        intake.ended("busy", 1_000, 0);

        intake.open();
        assertThat(intake.inHand()).isZero();
        intake.add("busy", entries(1_000));
        intake.take(ALL, 1_000, 0, () -> false);
        assertThat(intake.pressed("busy", 1)).isTrue();
    }

    @Test
    void takesOnlyWhatIsAskedForAndNoMore() throws Exception {
        intake.open();
        List<SinkEntry> rare = entries(3);
        intake.add("busy", entries(5));
        intake.add("rare", rare);

        assertThat(intake.take(Set.of("rare"), 2, 0, () -> false)).isEqualTo(rare.subList(0, 2));
        assertThat(intake.take(Set.of("rare"), 2, 0, () -> false)).isEqualTo(rare.subList(2, 3));
        assertThat(intake.take(Set.of("rare"), 2, 0, () -> false)).isEmpty();
        assertThat(intake.inHand()).isEqualTo(8);
    }

    @Test
    void whatIsPutBackComesAgainInItsOrder() throws Exception {
        intake.open();
        List<SinkEntry> entries = List.of(entryOf("busy"), entryOf("busy"), entryOf("busy"));
        intake.add("busy", entries);
        List<SinkEntry> taken = intake.take(ALL, 2, 0, () -> false);

        intake.putBack(taken);

        assertThat(intake.take(ALL, 10, 0, () -> false)).isEqualTo(entries);
    }

    private static SinkEntry entryOf(String queue) {
        return entryOf(queue, new Endings());
    }

    static SinkEntry entryOf(String queue, Endings hold) {
        Delivery<?> delivery = (Delivery<?>) Proxy.newProxyInstance(
                SinkIntakeTest.class.getClassLoader(),
                new Class<?>[] {Delivery.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "queue" -> queue;
                    case "size" -> 100;
                    case "headers" -> Map.of();
                    case "enqueuedAt" -> Instant.EPOCH;
                    default -> null;
                });
        return new SinkEntry(delivery, new byte[0], hold);
    }

    @Test
    void isPressedByCountAndByBytes() throws Exception {
        intake.open();
        intake.add("busy", entries(5));
        assertThat(intake.pressed("busy", 2))
                .as("the tasks have not taken them")
                .isFalse();
        intake.take(ALL, 5, 0, () -> false);
        assertThat(intake.pressed("busy", 2)).as("500 of 1000 bytes").isTrue();
        assertThat(intake.pressed("busy", 1)).isFalse();
        assertThat(intake.pressed("rare", 2)).isFalse();

        intake.ended("busy", 1, 100);
        assertThat(intake.pressed("busy", 2)).isFalse();

        SinkIntake small = new SinkIntake(ALL, 2, 1_000);
        small.open();
        small.add("busy", entries(2));
        small.take(ALL, 2, 0, () -> false);
        assertThat(small.pressed("busy", 1)).as("two entries").isTrue();
    }

    /** A handler may be slow while its sink stops and starts: what it brings then has the hold of before. */
    @Test
    void entriesOfTwoForwardingsEndEachWithItsOwnHold() {
        Endings before = new Endings();
        Endings after = new Endings();
        List<SinkEntry> mixed = List.of(entryOf("busy", before), entryOf("busy", after), entryOf("busy", after));

        assertThat(SinkEntry.forwarded(mixed)).isEqualTo(mixed);
        assertThat(before.forwarded)
                .hasSize(1)
                .allMatch(each -> each == mixed.get(0).delivery());
        assertThat(after.forwarded)
                .hasSize(2)
                .allMatch(each -> each != mixed.get(0).delivery());
        assertThat(SinkEntry.forwarded(mixed)).isEmpty();
    }

    @Test
    void takesNothingWhileItIsClosedAndGivesBackWhatNobodyTook() throws Exception {
        List<SinkEntry> entries = entries(2);
        assertThat(intake.add("busy", entries)).isFalse();
        intake.open();
        assertThat(intake.add("busy", entries)).isTrue();

        assertThat(intake.close()).isEqualTo(entries);
        assertThat(intake.inHand()).isZero();
        assertThat(intake.add("busy", entries)).isFalse();
    }
}
