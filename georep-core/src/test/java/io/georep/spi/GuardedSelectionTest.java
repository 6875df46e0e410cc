package io.georep.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.spi.PeerSelection.Candidate;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Policies of an application that throw or return nonsense. */
class GuardedSelectionTest {
    private static final Candidate B = new Candidate(NodeId.of("b"), "", 1);
    private static final Candidate C = new Candidate(NodeId.of("c"), "", 1);
    private static final Candidate UNKNOWN = new Candidate(NodeId.of("x"), "", 1);

    private static List<Candidate> order(PeerSelection selection) {
        return GuardedSelection.of(selection)
                .order(new ArrayList<>(List.of(B, C)), "", 2, new SplittableRandom(1));
    }

    @Test
    void onlyThoseWhoWereGivenAreChosenAndEachOnce() {
        assertThat(order((given, site, count, random) -> List.of(C, UNKNOWN, C, B)))
                .containsExactly(C, B);
        assertThat(order((given, site, count, random) -> {
                    given.add(UNKNOWN);
                    return given;
                }))
                .containsExactly(B, C);
    }

    @Test
    void aPolicyThatThrowsOrReturnsNothingChoosesNobody() {
        assertThat(order((given, site, count, random) -> {
                    throw new IllegalStateException("the last peer died");
                }))
                .isEmpty();
        assertThat(order((given, site, count, random) -> {
                    throw new StackOverflowError();
                }))
                .isEmpty();
        assertThat(order((given, site, count, random) -> null)).isEmpty();
        assertThat(order((given, site, count, random) -> {
                    List<Candidate> some = new ArrayList<>();
                    some.add(null);
                    return some;
                }))
                .isEmpty();
    }

    @Test
    void nobodyFulfilsAConditionThatThrows() {
        assertThat(GuardedSelection.of((Candidate candidate) -> {
                            throw new IllegalStateException();
                        })
                        .test(B))
                .isFalse();
        assertThat(GuardedSelection.of((Candidate candidate) -> true).test(B)).isTrue();
    }
}
