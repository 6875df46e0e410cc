package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;

/** The checks of the simulation notice known errors: each run is clean with the rule, and is not with the error. */
class PlantedErrorsTest {
    private static final long FIRST = Long.getLong("georep.seed", 1);
    private static final int SEEDS = Integer.getInteger("georep.fleets", 1);

    private static FleetJudge judged(long seed, FleetRules rules, Consumer<FleetRun> change) {
        FleetRun run = new FleetRun();
        run.seed = seed;
        run.nodes = 40;
        run.millis = 20_000;
        run.rules = rules;
        change.accept(run);
        return new FleetSimulation(run).run();
    }

    /** Both runs of each seed, and what one of the checks says of them. */
    private static void caught(
            FleetRules error,
            Consumer<FleetRun> change,
            ToDoubleFunction<FleetJudge> check,
            double clean,
            double notClean) {
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            FleetJudge right = judged(seed, new FleetRules(), change);
            assertThat(check.applyAsDouble(right)).as("seed %d %s", seed, right).isLessThanOrEqualTo(clean);
            FleetJudge wrong = judged(seed, error, change);
            assertThat(check.applyAsDouble(wrong)).as("seed %d %s", seed, wrong).isGreaterThan(notClean);
        }
    }

    private static double outOfOrder(FleetJudge judge) {
        return judge.violations.stream().filter(each -> each.contains("D2")).count();
    }

    private static double wrongGets(FleetJudge judge) {
        return judge.answers.wrongGets;
    }

    private static void tiesAndLateCopies(FleetRun run) {
        run.settings = FleetSettings.paper(5, 6);
        run.rate = 100;
        run.loss = .1;
    }

    @Test
    void thePrintedFilterOnEqualTimes() {
        FleetRules printed = new FleetRules() {
            @Override
            boolean isLate(OrderKey key, OrderKey last) {
                return key.time() < last.time();
            }
        };

        caught(printed, PlantedErrorsTest::tiesAndLateCopies, PlantedErrorsTest::outOfOrder, 0, 0);
    }

    @Test
    void releaseAtTheSameTime() {
        FleetRules printed = new FleetRules() {
            @Override
            boolean mayPass(OrderKey stable, OrderKey unstable) {
                return stable.time() == unstable.time();
            }
        };

        caught(printed, PlantedErrorsTest::tiesAndLateCopies, PlantedErrorsTest::outOfOrder, 0, 0);
    }

    @Test
    void ballsThatReceiversShareAndChange() {
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            assertThat(judged(seed, new FleetRules(), run -> {}).holeRate()).isLessThan(1e-4);
            assertThat(judged(seed, new FleetRules(), run -> run.aliases = true).holeRate())
                    .isGreaterThan(1e-3);
        }
    }

    /** AE2: what a member has got without waiting for the order is there before its place has come. */
    @Test
    void operationsThatAreSeenBeforeTheirPlace() {
        FleetRules early = new FleetRules() {
            @Override
            OrderKey visibleTo(OrderKey at) {
                return OrderKey.LAST;
            }
        };

        caught(
                early,
                run -> {
                    run.rate = 60;
                    run.keys = 3;
                    run.any = .5;
                },
                PlantedErrorsTest::wrongGets,
                0,
                0);
    }

    private static void manyJoin(FleetRun run) {
        run.nodes = 60;
        run.churn = .3;
        run.rate = 60;
        run.keys = 20;
    }

    @Test
    void aNodeThatAnswersBeforeItHasAll() {
        FleetRules hasty = new FleetRules() {
            @Override
            boolean mayAnswer(boolean hasAll) {
                return true;
            }
        };

        caught(hasty, PlantedErrorsTest::manyJoin, PlantedErrorsTest::wrongGets, 0, 0);
    }

    @Test
    void aFreshNodeThatMakesEvents() {
        FleetRules hasty = new FleetRules() {
            @Override
            boolean mayBroadcast(boolean hasHeard) {
                return true;
            }
        };
        Consumer<FleetRun> churn = run -> {
            run.settings = FleetSettings.paper(18, 25);
            run.nodes = 60;
            run.churn = .3;
            run.rate = 20;
        };

        caught(hasty, churn, FleetJudge::holeRate, 2e-3, 5e-3);
    }
}
