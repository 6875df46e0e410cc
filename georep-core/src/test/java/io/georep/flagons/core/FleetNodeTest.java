package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.flagons.FleetConsistency;
import io.georep.flagons.core.FleetSimulation.Member;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What clients of a small fleet are told, one case each. */
class FleetNodeTest {
    private static final Slice KEY = Slice.utf8("lock");

    private final Map<String, Outcome> told = new LinkedHashMap<>();
    private FleetSimulation fleet;

    private FleetRun run(int nodes, Consumer<FleetSimulation> script) {
        FleetRun run = new FleetRun();
        run.nodes = nodes;
        run.rate = 0;
        run.millis = 16_000;
        run.script = script;
        return run;
    }

    private FleetJudge judged(FleetRun run) {
        fleet = new FleetSimulation(run);
        FleetJudge judge = fleet.run();
        assertThat(judge.violations).as(judge.toString()).isEmpty();
        assertThat(judge.answers.wrong).as(judge.toString()).isEmpty();
        return judge;
    }

    private void ask(
            FleetSimulation in, String name, Member at, FleetOperation operation, FleetConsistency how, int quorum) {
        in.submit(at, operation, how, OrderKey.FIRST, quorum, outcome -> told.put(name, outcome));
    }

    private static FleetOperation claim(FleetSimulation in) {
        return in.operation(FleetOperation.Kind.PUT_IF_ABSENT, KEY);
    }

    @Test
    void ofTwoClaimsAtOnceTheOneWithTheSmallerPlaceWins() {
        judged(run(12, in -> {
            if (in.now == 5_000) {
                ask(in, "one", in.members.get(0), claim(in), FleetConsistency.ORDERED, 1);
                ask(in, "other", in.members.get(1), claim(in), FleetConsistency.ORDERED, 1);
            }
        }));

        Outcome one = told.get("one");
        Outcome other = told.get("other");
        Outcome winner = one.place().compareTo(other.place()) < 0 ? one : other;
        Outcome loser = winner == one ? other : one;
        assertThat(winner.status()).isEqualTo(Outcome.Status.APPLIED);
        assertThat(loser.status()).isEqualTo(Outcome.Status.NOT_APPLIED);
        assertThat(loser.version()).isEqualTo(winner.place());
        assertThat(loser.value()).isNotNull();
    }

    @Test
    void aRequestThatIsTriedAgainElsewhereTakesEffectOnce() {
        List<FleetOperation> same = new ArrayList<>();
        judged(run(12, in -> {
            if (in.now == 5_000) {
                same.add(claim(in));
                ask(in, "first", in.members.get(0), same.get(0), FleetConsistency.ORDERED, 1);
            } else if (in.now == 9_000) {
                in.submit(
                        in.members.get(1),
                        same.get(0),
                        FleetConsistency.ORDERED,
                        OrderKey.FIRST,
                        1,
                        outcome -> told.put("again", outcome));
            }
        }));

        assertThat(told.get("first").status()).isEqualTo(Outcome.Status.APPLIED);
        assertThat(told.get("again")).isEqualTo(told.get("first"));
    }

    @Test
    void aQuorumOfAnswersAgreesAndOneThatCannotBeIsUnsure() {
        judged(run(8, in -> {
            if (in.now == 5_000) {
                FleetOperation put = in.operation(FleetOperation.Kind.PUT, KEY);
                ask(in, "put", in.members.get(0), put, FleetConsistency.ORDERED, 8);
            } else if (in.now == 8_000) {
                FleetOperation get = in.operation(FleetOperation.Kind.GET, KEY);
                ask(in, "all", in.members.get(1), get, FleetConsistency.ORDERED, 8);
                FleetOperation more = in.operation(FleetOperation.Kind.GET, KEY);
                ask(in, "more", in.members.get(2), more, FleetConsistency.ORDERED, 9);
            }
        }));

        assertThat(told.get("put").status()).isEqualTo(Outcome.Status.APPLIED);
        assertThat(told.get("all").status()).isEqualTo(Outcome.Status.FOUND);
        assertThat(told.get("all").version()).isEqualTo(told.get("put").place());
        assertThat(told.get("more").status()).isEqualTo(Outcome.Status.UNSURE);
    }

    @Test
    void aQuorumForAGetThatDoesNotWaitIsRefused() {
        FleetOperation get = new FleetOperation(new RequestId(1, 1), FleetOperation.Kind.GET, KEY, null);

        assertThatThrownBy(() -> FleetCommand.checkQuorum(get, FleetConsistency.ANY, 2))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> FleetCommand.checkQuorum(get, FleetConsistency.ORDERED, 0))
                .isInstanceOf(IllegalArgumentException.class);
        FleetCommand.checkQuorum(get, FleetConsistency.ORDERED, 2);
    }

    @Test
    void whatWaitsForNoOrderIsAnsweredAtOnceAndIsTheSameEverywhereInTheEnd() {
        long[] at = new long[1];
        judged(run(40, in -> {
            if (in.now == 5_000) {
                FleetOperation put = in.operation(FleetOperation.Kind.PUT, KEY);
                in.submit(in.members.get(0), put, FleetConsistency.ANY, OrderKey.FIRST, 1, outcome -> {
                    told.put("put", outcome);
                    at[0] = in.now;
                });
            } else if (in.now == 8_000) {
                FleetOperation get = in.operation(FleetOperation.Kind.GET, KEY);
                ask(in, "any", in.members.get(9), get, FleetConsistency.ANY, 1);
                FleetOperation other = in.operation(FleetOperation.Kind.GET, KEY);
                OrderKey after = told.get("put").place();
                in.submit(
                        in.members.get(30), other, FleetConsistency.CONVERGING, after, 1, it -> told.put("after", it));
            }
        }));

        assertThat(told.get("put").status()).isEqualTo(Outcome.Status.APPLIED);
        assertThat(at[0]).isLessThan(5_000 + 1_500);
        assertThat(told.get("any").version()).isEqualTo(told.get("put").place());
        assertThat(told.get("after").version()).isEqualTo(told.get("put").place());
    }

    @Test
    void twoWinnersOfASplitBecomeOneAndThatIsTold() {
        FleetRun run = run(24, in -> {
            if (in.now == 13_000) {
                Member one = in.members.get(0);
                Member other = in.members.stream()
                        .filter(each -> in.side(each) != in.side(one))
                        .findFirst()
                        .orElseThrow();
                ask(in, "one", one, claim(in), FleetConsistency.ORDERED, 1);
                ask(in, "other", other, claim(in), FleetConsistency.ORDERED, 1);
            }
        });
        run.splitFrom = 8_000;
        run.splitTo = 18_000;
        run.millis = 70_000;
        FleetJudge judge = judged(run);

        assertThat(told.values()).extracting(Outcome::status).containsOnly(Outcome.Status.APPLIED);
        OrderKey one = told.get("one").place();
        OrderKey other = told.get("other").place();
        OrderKey first = one.compareTo(other) < 0 ? one : other;
        assertThat(judge.answers.overturned).isPositive();
        for (Member member : fleet.alive) {
            if (member.node.group().range().has(FleetOperation.positionOf(KEY))) {
                assertThat(member.node.store().look(KEY, OrderKey.LAST).version())
                        .isEqualTo(first);
            }
        }
    }

    /** What is older than the retention goes, but for the values; what was removed does not come back with new nodes. */
    @Test
    void oldOperationsAreDroppedAndWhatWasRemovedStaysAway() {
        FleetRun run = run(20, in -> {
            // By no clock is the last of them behind the removal.
            if (in.now >= 4_000 && in.now < 8_000 && in.now % 100 == 0) {
                ask(in, "put", in.any(), in.operation(FleetOperation.Kind.PUT, KEY), FleetConsistency.ORDERED, 1);
            } else if (in.now == 9_000) {
                ask(
                        in,
                        "removed",
                        in.any(),
                        in.operation(FleetOperation.Kind.REMOVE, KEY),
                        FleetConsistency.ORDERED,
                        1);
                ask(
                        in,
                        "kept",
                        in.any(),
                        in.operation(FleetOperation.Kind.PUT, Slice.utf8("o")),
                        FleetConsistency.ORDERED,
                        1);
            } else if (in.now > 10_000 && in.now < 50_000 && in.now % 5_000 == 0) {
                in.replace(in.any());
            } else if (in.now == 54_000) {
                ask(in, "get", in.any(), in.operation(FleetOperation.Kind.GET, KEY), FleetConsistency.ORDERED, 1);
                ask(
                        in,
                        "found",
                        in.any(),
                        in.operation(FleetOperation.Kind.GET, Slice.utf8("o")),
                        FleetConsistency.ORDERED,
                        1);
            }
        });
        run.settings = FleetSettings.hardened(20).keeping(12_000);
        run.millis = 60_000;
        judged(run);

        assertThat(told.get("get").value()).isNull();
        assertThat(told.get("found").version()).isEqualTo(told.get("kept").place());
        assertThat(fleet.alive)
                .allSatisfy(each -> assertThat(each.node.store().size()).isLessThan(3));
    }

    /** What was made of late crosses. Of what is older, each side keeps what it has, so that nothing that was removed comes back. */
    @Test
    void aSplitThatIsLongerThanOperationsAreKeptHealsAndBringsNothingBack() {
        Slice late = Slice.utf8("late");
        FleetRun run = run(20, in -> {
            Member here = any(in, 0);
            if (in.now == 7_000) {
                ask(in, "put", here, in.operation(FleetOperation.Kind.PUT, KEY), FleetConsistency.ORDERED, 1);
            } else if (in.now == 14_000) {
                ask(in, "removed", here, in.operation(FleetOperation.Kind.REMOVE, KEY), FleetConsistency.CONVERGING, 1);
            } else if (in.now == 44_000) {
                ask(in, "late", here, in.operation(FleetOperation.Kind.PUT, late), FleetConsistency.CONVERGING, 1);
            }
        });
        run.settings = FleetSettings.hardened(20).keeping(12_000);
        run.splitFrom = 10_000;
        run.splitTo = 48_000;
        run.millis = 120_000;
        fleet = new FleetSimulation(run);
        fleet.run();

        assertThat(told.get("put").status()).isEqualTo(Outcome.Status.APPLIED);
        long lateAt = FleetOperation.positionOf(late);
        assertThat(fleet.alive.stream().filter(each -> each.node.group().range().has(lateAt)))
                .allSatisfy(each -> assertThat(
                                each.node.store().look(late, OrderKey.LAST).value())
                        .isNotNull());
        assertThat(fleet.alive.stream().filter(each -> fleet.side(each) == 0))
                .allSatisfy(each -> assertThat(
                                each.node.store().look(KEY, OrderKey.LAST).value())
                        .isNull());
    }

    private static Member any(FleetSimulation in, int side) {
        return in.alive.stream()
                .filter(each -> in.side(each) == side)
                .findFirst()
                .orElseThrow();
    }

    /** It goes on, and what it does counts when the sides meet again; but it does not say that it is sure. */
    @Test
    void aNodeThatIsCutOffFromMostOfTheFleetIsNotSure() {
        List<Boolean> small = new ArrayList<>();
        List<Boolean> large = new ArrayList<>();
        FleetRun run = run(40, in -> {
            if (in.now == 25_000 || in.now == 58_000) {
                Member lonely = in.alive.stream()
                        .filter(each -> in.side(each) == 0)
                        .findFirst()
                        .orElseThrow();
                ask(
                        in,
                        "put " + in.now,
                        lonely,
                        in.operation(FleetOperation.Kind.PUT, KEY),
                        FleetConsistency.ORDERED,
                        1);
                in.alive.forEach(each -> (in.side(each) == 0 ? small : large).add(each.node.isCutOff()));
            }
        });
        run.splitParts = 5;
        run.splitFrom = 8_000;
        run.splitTo = 60_000;
        run.millis = 70_000;
        new FleetSimulation(run).run();

        assertThat(small).isNotEmpty().doesNotContain(false);
        assertThat(large).isNotEmpty().doesNotContain(true);
        assertThat(told.values()).extracting(Outcome::status).containsOnly(Outcome.Status.UNSURE);
    }
}
