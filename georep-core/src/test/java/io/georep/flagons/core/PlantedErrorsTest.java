package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The checks of the simulation notice known errors: each run is clean with the rule, and is not with the error. */
class PlantedErrorsTest {
    private static FleetJudge judged(Rules rules, Consumer<FleetRun> change) {
        FleetRun run = new FleetRun();
        run.nodes = 100;
        run.millis = 24_000;
        run.rules = rules;
        change.accept(run);
        FleetJudge judge = new FleetSimulation(run).run();
        return judge;
    }

    private static void tiesAndLateCopies(FleetRun run) {
        run.settings = FleetSettings.paper(5, 6);
        run.rate = 60;
        run.loss = .1;
    }

    @Test
    void thePrintedFilterOnEqualTimes() {
        Rules printed = new Rules() {
            @Override
            boolean isLate(OrderKey key, OrderKey last) {
                return key.time() < last.time();
            }
        };

        assertThat(judged(new Rules(), PlantedErrorsTest::tiesAndLateCopies).violations)
                .noneMatch(each -> each.contains("D2"));
        assertThat(judged(printed, PlantedErrorsTest::tiesAndLateCopies).violations)
                .anyMatch(each -> each.contains("D2"));
    }

    @Test
    void releaseAtTheSameTime() {
        Rules printed = new Rules() {
            @Override
            boolean mayPass(OrderKey stable, OrderKey unstable) {
                return stable.time() == unstable.time();
            }
        };

        assertThat(judged(printed, PlantedErrorsTest::tiesAndLateCopies).violations)
                .anyMatch(each -> each.contains("D2"));
    }

    @Test
    void ballsThatReceiversShareAndChange() {
        FleetJudge judge = judged(new Rules(), run -> run.aliases = true);

        assertThat(judge.holeRate()).isGreaterThan(1e-3);
    }

    @Test
    void operationsThatAreSeenBeforeTheirPlace() {
        Rules early = new Rules() {
            @Override
            boolean isVisible(OrderKey operation, OrderKey at) {
                return true;
            }

            @Override
            OrderKey comparedUpTo(OrderKey settled) {
                return new OrderKey(Long.MAX_VALUE, Long.MAX_VALUE);
            }

            @Override
            boolean mayCompare(OrderKey bound, OrderKey frontier) {
                return true;
            }
        };
        Consumer<FleetRun> late = run -> {
            run.rate = 60;
            run.keys = 3;
            run.lan = true;
        };

        assertThat(judged(new Rules(), late).answers.wrongGets).isZero();
        assertThat(judged(early, late).answers.wrongGets).isPositive();
    }

    @Test
    void aNodeThatAnswersBeforeItHasAll() {
        Rules hasty = new Rules() {
            @Override
            boolean mayAnswer(boolean hasAll) {
                return true;
            }
        };
        Consumer<FleetRun> churn = run -> run.churn = .3;

        assertThat(judged(new Rules(), churn).answers.wrongGets).isZero();
        assertThat(judged(hasty, churn).answers.wrongGets).isPositive();
    }

    @Test
    void aFreshNodeThatMakesEvents() {
        Rules hasty = new Rules() {
            @Override
            boolean mayBroadcast(boolean hasHeard) {
                return true;
            }
        };
        Consumer<FleetRun> churn = run -> {
            run.settings = FleetSettings.paper(18, 25);
            run.churn = .3;
            run.rate = 40;
        };

        assertThat(judged(new Rules(), churn).holeRate()).isLessThan(1e-3);
        assertThat(judged(hasty, churn).holeRate()).isGreaterThan(1e-2);
    }
}
