package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** All wings on the same nodes, under one nemesis that draws their whole lives; see {@link Wing}. */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class AllWingsSimulationTest {
    /** Seeds of the first sixty that were chosen because together they meet everything, most of them in little time. */
    private static final List<Long> CHOSEN = List.of(
            0L, 1L, 3L, 4L, 5L, 6L, 7L, 8L, 11L, 13L, 15L, 16L, 17L, 18L, 21L, 23L, 26L, 29L, 36L, 46L, 49L, 56L, 58L,
            59L);

    /** Runs at a time beyond these, while there is a rare circumstance that some wing has not met: up to so many in all. */
    private static final int MORE_RUNS = 6;

    private static final int RUNS_MAX = 48;
    private static final int FRESH_RUNS = 3;
    private static final Path PAGE = Path.of("..", "docs", "how-it-works", "testing.md");
    private static final String FIRST_CELL = "| circumstance |";

    /**
     * Every wing meets every circumstance, and the page says in how many of these runs. Those figures move with the
     * protocols: what the page says may be as wrong as by half.
     */
    @Test
    void fixedSeedsKeepAllPromisesAndEveryWingMeetsEveryCircumstance() throws Exception {
        Coverage.Total met = run(CHOSEN.size(), index -> Swarm.swarm(Swarm.WINGS + CHOSEN.get((int) index)))
                .coverage();
        Map<String, Map<String, Integer>> fixed = table(met);
        Map<String, Map<String, Integer>> table = fixed;
        for (int runs = CHOSEN.size(); runs < RUNS_MAX && table.toString().contains("=0"); runs += MORE_RUNS) {
            long first = Swarm.WINGS + 100 + runs;
            met.add(run(MORE_RUNS, index -> Swarm.swarm(first + index)).coverage());
            table = table(met);
        }
        if ("rewrite".equals(System.getProperty("georep.coverage"))) {
            rewrite(fixed);
        }
        assertThat(table)
                .allSatisfy((circumstance, runs) -> assertThat(runs)
                        .as("runs in which wings met " + circumstance)
                        .doesNotContainValue(0));
        Map<String, Map<String, Integer>> page = page();
        assertThat(page.keySet()).as("rows of the page").isEqualTo(fixed.keySet());
        for (String circumstance : page.keySet()) {
            Map<String, Integer> runs = fixed.get(circumstance);
            assertThat(page.get(circumstance).keySet())
                    .as("columns of the page")
                    .isEqualTo(runs.keySet());
            page.get(circumstance)
                    .forEach((wing, said) -> assertThat(2 * runs.get(wing) + 4)
                            .as(circumstance + " of " + wing + ": write the page anew with -Dgeorep.coverage=rewrite")
                            .isBetween(said, 4 * said + 8));
        }
    }

    private static Map<String, Map<String, Integer>> table(Coverage.Total met) {
        Map<String, Map<String, Integer>> table = new LinkedHashMap<>();
        Stream.concat(EnumSet.allOf(Fault.class).stream(), EnumSet.allOf(Breadth.Kind.class).stream())
                .forEach(circumstance -> table.put(circumstance.name(), row(met, circumstance)));
        return table;
    }

    /** By wing, in how many runs it met something. */
    private static Map<String, Integer> row(Coverage.Total met, Enum<?> circumstance) {
        Map<String, Integer> runs = new LinkedHashMap<>();
        met.wings().forEach(wing -> runs.put(wing, met.runs(circumstance, wing)));
        return runs;
    }

    private static List<String> rows(List<String> page) {
        int title = 0;
        while (!page.get(title).startsWith(FIRST_CELL)) {
            title++;
        }
        List<String> from = page.subList(title, page.size());
        return from.subList(0, from.indexOf(""));
    }

    private static Map<String, Map<String, Integer>> page() throws Exception {
        List<String> rows = rows(Files.readAllLines(PAGE));
        List<String> wings = cells(rows.get(0));
        Map<String, Map<String, Integer>> said = new LinkedHashMap<>();
        for (String row : rows.subList(2, rows.size())) {
            List<String> cells = cells(row);
            Map<String, Integer> runs = new LinkedHashMap<>();
            for (int i = 1; i < cells.size(); i++) {
                runs.put(wings.get(i), Integer.parseInt(cells.get(i)));
            }
            said.put(cells.get(0), runs);
        }
        return said;
    }

    private static List<String> cells(String row) {
        return Stream.of(row.replace("`", "").split("\\|"))
                .skip(1)
                .map(String::trim)
                .toList();
    }

    private static void rewrite(Map<String, Map<String, Integer>> table) throws Exception {
        List<String> page = new ArrayList<>(Files.readAllLines(PAGE));
        List<String> rows = rows(page);
        rows.clear();
        List<String> wings = List.copyOf(table.values().iterator().next().keySet());
        rows.add(FIRST_CELL + " " + String.join(" | ", wings) + " |");
        rows.add("|---".repeat(1 + wings.size()) + "|");
        table.forEach((circumstance, runs) -> rows.add("| `" + circumstance + "` | "
                + String.join(" | ", runs.values().stream().map(String::valueOf).toList())
                + " |"));
        Files.write(PAGE, page);
    }

    /** Seeds that change with the sources, so that each commit meets others, and other parts, and its build can be repeated. */
    @Test
    void freshSeedsKeepAllPromises() throws Exception {
        long hash = SimulationTest.sourceHash();
        long first = Swarm.WINGS + hash * 1000 + hash % Swarm.WINGS_PARTS;
        System.out.println("fresh seeds of all wings from " + first);

        run(FRESH_RUNS, index -> Swarm.swarm(first + index));
    }

    private static Runs.Total run(int count, LongFunction<SimulationOptions> options) throws InterruptedException {
        Runs.Total total = Runs.run(0, count, System.nanoTime() + TimeUnit.MINUTES.toNanos(9), options);
        assertThat(total.runs()).isEqualTo(count);
        return total;
    }
}
