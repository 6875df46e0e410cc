package io.georep.linear;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.linear.Operation.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Right and wrong histories, by hand; {@code ExportedHistories} compares the checker with another one. */
class LinearizabilityTest {
    private static final long NEVER = Operation.NEVER;
    private final List<Operation> history = new ArrayList<>();

    private static Operation operation(Kind kind, long from, long to, String value, boolean applied, String seen) {
        return new Operation("k", kind, value, null, from, to, applied, seen, "n1");
    }

    private LinearizabilityTest put(String value, long from, long to) {
        history.add(operation(Kind.PUT, from, to, value, false, null));
        return this;
    }

    private LinearizabilityTest read(String seen, long from, long to) {
        history.add(operation(Kind.READ, from, to, null, false, seen));
        return this;
    }

    private LinearizabilityTest remove(boolean applied, long from, long to) {
        history.add(operation(Kind.REMOVE, from, to, null, applied, null));
        return this;
    }

    private LinearizabilityTest putIfAbsent(String value, String seen, long from, long to) {
        history.add(operation(Kind.PUT_IF_ABSENT, from, to, value, false, seen));
        return this;
    }

    private LinearizabilityTest replace(String expected, String value, boolean applied, long from, long to) {
        history.add(new Operation("k", Kind.REPLACE, value, expected, from, to, applied, null, "n1"));
        return this;
    }

    private LinearizabilityTest expire(String value, long from) {
        history.add(operation(Kind.EXPIRE, from, NEVER, value, false, null));
        return this;
    }

    private void holds() {
        Linearizability.check(history);
        history.clear();
    }

    private void isWrong() {
        assertThat(Linearizability.holds(history)).isFalse();
        history.clear();
    }

    @Test
    void readsOfTheNewestValueAreRight() {
        read(null, 0, 1)
                .put("a", 2, 3)
                .read("a", 4, 5)
                .remove(true, 6, 7)
                .read(null, 8, 9)
                .remove(false, 10, 11)
                .holds();
    }

    @Test
    void aStaleReadIsWrong() {
        put("a", 0, 1).put("b", 2, 3).read("a", 4, 5).isWrong();
        put("a", 0, 1).read(null, 2, 3).isWrong();
        put("a", 0, 1).remove(true, 2, 3).read("a", 4, 5).isWrong();
    }

    @Test
    void aReadDuringAWriteMayReturnEither() {
        put("a", 0, 1).put("b", 2, 9).read("a", 3, 4).read("b", 5, 6).holds();
        put("a", 0, 1).put("b", 2, 9).read("b", 3, 4).read("b", 5, 6).holds();
    }

    @Test
    void aValueThatGoesBackIsWrong() {
        put("a", 0, 1).put("b", 2, 9).read("b", 3, 4).read("a", 5, 6).isWrong();
    }

    @Test
    void twoReadersMustAgreeOnTheOrder() {
        put("a", 0, 9).put("b", 0, 9).read("a", 10, 11).holds();
        put("a", 0, 9).put("b", 0, 9).read("a", 10, 11).read("b", 12, 13).isWrong();
    }

    @Test
    void aWriteWithoutAnswerMayTakeEffectOnceAtAnyTimeOrNever() {
        put("a", 0, 1).put("b", 2, NEVER).read("a", 3, 4).holds();
        put("a", 0, 1).put("b", 2, NEVER).read("a", 3, 4).read("b", 50, 51).holds();
        put("a", 0, 1).put("b", 2, NEVER).read("b", 3, 4).read("a", 5, 6).isWrong();
        put("b", 0, NEVER).read("b", 1, 2).put("a", 3, 4).read("b", 5, 6).isWrong();
        put("b", 5, NEVER).read("b", 1, 2).isWrong();
    }

    @Test
    void aRepetitionThatTookEffectTwiceIsWrong() {
        put("a", 0, 20).put("b", 5, 6).read("b", 7, 8).holds();
        put("a", 0, 20)
                .read("a", 2, 3)
                .put("b", 5, 6)
                .read("b", 7, 8)
                .read("a", 9, 10)
                .isWrong();
    }

    @Test
    void conditionsAreDecidedAtOneMoment() {
        putIfAbsent("a", null, 0, 9)
                .putIfAbsent("b", "a", 0, 9)
                .read("a", 10, 11)
                .holds();
        putIfAbsent("a", null, 0, 9).putIfAbsent("b", null, 0, 9).isWrong();
        put("a", 0, 1)
                .replace("a", "b", true, 2, 9)
                .replace("a", "c", false, 2, 9)
                .read("b", 10, 11)
                .holds();
        put("a", 0, 1)
                .replace("a", "b", true, 2, 9)
                .replace("a", "c", true, 2, 9)
                .isWrong();
        put("a", 0, 1).replace("x", "b", true, 2, 3).isWrong();
        put("a", 0, 1).replace("a", "b", false, 2, 3).isWrong();
        put("a", 0, 1).replace("a", "b", true, 2, NEVER).read("b", 3, 4).holds();
        remove(true, 0, 1).isWrong();
        put("a", 0, 1).remove(false, 2, 3).isWrong();
    }

    @Test
    void aValueGoesAfterItsTimeAndNotBefore() {
        put("a", 0, 1)
                .expire("a", 10)
                .read("a", 2, 3)
                .read("a", 11, 12)
                .read(null, 13, 14)
                .holds();
        put("a", 0, 1).expire("a", 10).read(null, 2, 3).isWrong();
        put("a", 0, 1).expire("a", 10).put("b", 4, 5).read(null, 20, 21).isWrong();
        put("a", 0, 1).expire("a", 10).read(null, 20, 21).read("a", 22, 23).isWrong();
    }

    /** The same value twice: the second time must not be taken for the first. */
    @Test
    void equalValuesAreKeptApart() {
        put("a", 0, 1).put("a", 2, 20).remove(true, 3, 4).read("a", 21, 22).holds();
    }

    @Test
    void keysAreIndependent() {
        put("a", 0, 1);
        history.add(new Operation("other", Kind.READ, null, null, 2, 3, false, null, "n2"));
        holds();
    }

    @Test
    void whatIsWrongIsExplained() {
        put("a", 0, 1).put("b", 2, 3).put("c", 2, NEVER).read("a", 4, 5);

        assertThatThrownBy(() -> Linearizability.check(history))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("[4, 5] n1 k read -> a")
                .hasMessageContaining("[2, 3] n1 k put b")
                .hasMessageContaining("never answered");
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.SECONDS)
    void aLongHistoryTakesNotLong() {
        for (int i = 0; i < 20_000; i++) {
            put("v" + i, 10L * i, 10L * i + 15).read("v" + i, 10L * i + 5, 10L * i + 9);
        }
        read("v19999", 300_000, 300_001).holds();
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.SECONDS)
    void manyWritesAtOnceAreSearchedInReasonableTime() {
        for (int i = 0; i < 12; i++) {
            put("v" + i, 0, 100);
        }
        for (int i = 11; i >= 0; i--) {
            read("v" + i, 100 - 3 * i - 30, 101 - 3 * i - 30);
        }
        holds();
    }

    @Test
    void anAnswerBeforeTheCallIsRefused() {
        assertThatThrownBy(() -> put("a", 5, 4)).isInstanceOf(IllegalArgumentException.class);
    }
}
