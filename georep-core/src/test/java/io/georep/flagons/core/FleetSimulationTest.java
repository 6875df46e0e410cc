package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.flagons.FleetConsistency;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A fleet keeps what its page promises, whatever befalls it: 300 nodes once, fewer otherwise. */
class FleetSimulationTest {
    /** D11: as many shuffles as two views have entries. */
    private static final long DEAD_SEEN_MILLIS = 2 * 30 * 125;

    private static final long SEED = Long.getLong("georep.seed", 1);

    /** Runs a fleet, and checks what holds in each. */
    private static FleetJudge judged(Consumer<FleetRun> change) {
        FleetRun run = new FleetRun();
        run.seed = SEED;
        run.nodes = 100;
        run.millis = 24_000;
        change.accept(run);
        FleetJudge judge = new FleetSimulation(run).run();

        assertThat(judge.violations).as(judge.toString()).isEmpty();
        assertThat(judge.answers.wrong).as(judge.toString()).isEmpty();
        assertThat(judge.answers.outOfTime).as(judge.toString()).isZero();
        assertThat(judge.oldestDead).as(judge.toString()).isLessThan(DEAD_SEEN_MILLIS);
        assertThat(judge.wrongDepth).as(judge.toString()).isLessThanOrEqualTo(run.nodes / 100);
        return judge;
    }

    @Test
    void aQuietFleetHasNoHolesAndEvenGroups() {
        FleetJudge judge = judged(run -> run.nodes = 300);

        assertThat(judge.holes).isZero();
        assertThat(judge.answers.unsure).isZero();
        assertThat(judge.groups).isEqualTo(32);
        assertThat(judge.smallest).isEqualTo(9);
        assertThat(judge.largest).isEqualTo(10);
    }

    /** Shuffles, which alone tell of nodes elsewhere, are rare then. */
    @Test
    void aFleetInWhichNothingHappensKeepsItsGroups() {
        FleetRun run = new FleetRun();
        run.seed = SEED;
        run.nodes = 100;
        run.settings = FleetSettings.hardened(1_000);
        run.rate = 0;
        run.millis = 100_000;
        Map<Long, Integer> depths = new HashMap<>();
        List<String> changes = new ArrayList<>();
        run.script = fleet -> {
            if (fleet.now < 20_000 || fleet.now % 1_000 != 0) {
                return;
            }
            for (FleetSimulation.Member member : fleet.alive) {
                int depth = member.node.self().depth();
                Integer before = depths.put(member.node.self().id(), depth);
                if (before != null && before != depth) {
                    changes.add("from " + before + " to " + depth + " at " + fleet.now);
                }
            }
        };
        FleetJudge judge = new FleetSimulation(run).run();

        assertThat(depths).hasSize(run.nodes);
        assertThat(changes).isEmpty();
        assertThat(judge.wrongDepth).as(judge.toString()).isZero();
    }

    @Test
    void aFifthOfTheMessagesIsLost() {
        FleetJudge judge = judged(run -> run.loss = .2);

        assertThat(judge.holeRate()).isLessThan(1e-4);
        assertThat(judge.answers.unsure).isLessThan(5);
    }

    @Test
    void aTenthIsReplacedEveryFiveSeconds() {
        FleetJudge judge = judged(run -> run.churn = .1);

        assertThat(judge.holeRate()).isLessThan(1e-3);
        // A node that is asked may be replaced before the answer is there.
        assertThat(judge.answers.unsure).isLessThan(judge.answers.asked() / 10);
    }

    @Test
    void aThirdIsReplacedEveryFiveSecondsAndMessagesAreLost() {
        FleetJudge judge = judged(run -> {
            run.churn = .3;
            run.loss = .05;
        });

        assertThat(judge.holeRate()).isLessThan(3e-3);
        assertThat(judge.answers.unsure).isLessThan(judge.answers.asked() / 5);
    }

    @Test
    void aThirdFailsAtOnce() {
        FleetJudge judge = judged(run -> {
            run.thirdFailsAt = 10_000;
            run.millis = 34_000;
        });

        assertThat(judge.holeRate()).isLessThan(1e-3);
        assertThat(judge.answers.uncovered).isZero();
    }

    /** Where votes are counted, as in Raft, the five that are left do nothing any more. */
    @Test
    void whenSevenOfTwelveEndAtOnceTheOthersAnswerAll() {
        Map<Outcome.Status, Integer> answers = new EnumMap<>(Outcome.Status.class);
        int[] asked = new int[1];
        judged(run -> {
            run.nodes = 12;
            run.millis = 40_000;
            run.script = fleet -> {
                for (int i = 0; fleet.now == 12_000 && i < 7; i++) {
                    fleet.kill(fleet.any());
                }
                if (fleet.now >= 14_000 && fleet.now < 30_000 && fleet.now % 100 == 0) {
                    asked[0]++;
                    boolean gets = fleet.random.nextBoolean();
                    FleetOperation operation = fleet.operation(
                            gets ? FleetOperation.Kind.GET : FleetOperation.Kind.PUT,
                            Slice.utf8("key" + fleet.random.nextInt(10)));
                    fleet.submit(
                            fleet.any(),
                            operation,
                            FleetConsistency.ORDERED,
                            OrderKey.FIRST,
                            1,
                            outcome -> answers.merge(outcome.status(), 1, Integer::sum));
                }
            };
        });

        assertThat(answers).doesNotContainKey(Outcome.Status.UNSURE);
        assertThat(answers.values().stream().mapToInt(each -> each).sum()).isEqualTo(asked[0]);
    }

    /** All of them share a machine that has no time for them. What they say then is not sure, and they are sure again afterwards. */
    @Test
    void whoMissesMostIsNotSureOfTheRest() {
        List<Long> unsure = new ArrayList<>();
        FleetRun run = new FleetRun();
        run.seed = SEED;
        run.nodes = 100;
        run.millis = 170_000;
        run.slowFrom = 10_000;
        run.slowTo = 60_000;
        run.slowMillis = 3_000;
        run.script = fleet -> {
            if (fleet.now % 10_000 == 0) {
                unsure.add(fleet.alive.stream()
                        .filter(each -> each.node.isCutOff())
                        .count());
            }
        };
        FleetJudge judge = new FleetSimulation(run).run();

        assertThat(judge.violations).as(judge.toString()).isEmpty();
        assertThat(judge.holeRate()).as(judge.toString()).isGreaterThan(1e-2);
        assertThat(unsure.get(4)).as(judge.toString()).isGreaterThan(90);
        assertThat(unsure.get(unsure.size() - 1)).isZero();
        // Of what was asked before a node had missed enough to know it.
        assertThat(judge.answers.wrongGets).as(judge.toString()).isLessThan(judge.answers.gets / 500);
        assertThat(judge.answers.wrongChanges).as(judge.toString()).isLessThan(judge.answers.changes / 200);
    }

    @Test
    void twoHalvesFindEachOtherAgainAndHaveTheSame() {
        FleetJudge judge = judged(run -> {
            run.nodes = 60;
            run.splitFrom = 12_000;
            run.splitTo = 26_000;
            run.millis = 66_000;
            run.quietMillis = 30_000;
            run.script = fleet -> {
                if (fleet.now == 16_000) {
                    claimOnBothSides(fleet);
                }
            };
        });

        assertThat(judge.holeRate()).isLessThan(1e-3);
        assertThat(judge.answers.overturned).isPositive();
        assertThat(judge.answers.uncovered).isZero();
    }

    private static void claimOnBothSides(FleetSimulation fleet) {
        for (int side = 0; side < 2; side++) {
            int its = side;
            FleetSimulation.Member member = fleet.alive.stream()
                    .filter(each -> fleet.side(each) == its)
                    .findFirst()
                    .orElseThrow();
            FleetOperation claim = fleet.operation(FleetOperation.Kind.PUT_IF_ABSENT, Slice.utf8("claimed twice"));
            fleet.submit(member, claim, FleetConsistency.ORDERED, OrderKey.FIRST, 1, outcome -> {});
        }
    }

    @Test
    void positionsThatAreDrawnAtRandomSettle() {
        FleetJudge judge = judged(run -> run.evenGrid = false);

        assertThat(judge.holes).isZero();
    }

    /** As printed, age in hops ends before everybody has heard: the order holds and the agreement does not. */
    @Test
    void thePrintedAgeInHopsLosesAgreementWithoutAnyFault() {
        FleetRun run = new FleetRun();
        run.seed = SEED;
        run.nodes = 100;
        run.millis = 20_000;
        run.settings = FleetSettings.paper(11, 8);
        FleetJudge judge = new FleetSimulation(run).run();

        assertThat(judge.violations).isEmpty();
        assertThat(judge.holeRate()).isGreaterThan(1e-3);
    }

    @Test
    void oneSeedIsOneRun() {
        Consumer<FleetRun> small = run -> {
            run.nodes = 40;
            run.churn = .1;
            run.millis = 20_000;
        };

        assertThat(judged(small).toString()).isEqualTo(judged(small).toString());
    }
}
