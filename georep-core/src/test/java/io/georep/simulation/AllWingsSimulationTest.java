package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** All wings on the same nodes, under one nemesis that draws their whole lives; see {@link Wing}. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class AllWingsSimulationTest {
    private static final int FIXED_RUNS = 12;
    private static final int FRESH_RUNS = 3;
    private static final List<String> WINGS = List.of("outbox", "keys", "maps", "links");
    private static final Path PAGE = Path.of("..", "docs", "testing.md");
    private static final String FIRST_LINE = "| circumstance | outbox | keys | maps | links |";

    /**
     * Also, every wing meets every circumstance, and the page says in how many of these runs. Those figures move with the
     * protocols: what the page says may be as wrong as by half.
     */
    @Test
    void fixedSeedsKeepAllPromisesAndEveryWingMeetsEveryCircumstance() throws Exception {
        Coverage.Total met = run(Swarm.WINGS, FIXED_RUNS).coverage();
        Map<String, List<Integer>> cells = new LinkedHashMap<>();
        Stream.concat(Stream.of(Fault.values()), Stream.of(Breadth.Kind.values()))
                .forEach(row -> cells.put(
                        row.name(),
                        WINGS.stream().map(wing -> met.runs(row, wing)).toList()));
        List<String> lines = new ArrayList<>();
        cells.forEach((row, runs) -> lines.add("| `" + row + "` | "
                + String.join(" | ", runs.stream().map(String::valueOf).toList()) + " |"));
        if ("rewrite".equals(System.getProperty("georep.coverage"))) {
            rewrite(lines);
        }
        assertThat(cells).as("in how many runs wings met what").allSatisfy((row, runs) -> assertThat(runs)
                .as(row)
                .doesNotContain(0));
        Map<String, List<Integer>> said = said();
        assertThat(said.keySet()).as("rows of the page").isEqualTo(cells.keySet());
        said.forEach((row, figures) -> {
            for (int i = 0; i < figures.size(); i++) {
                assertThat(2 * cells.get(row).get(i) + 4)
                        .as(row + " of " + WINGS.get(i) + ": write the page anew with -Dgeorep.coverage=rewrite")
                        .isBetween(figures.get(i), 4 * figures.get(i) + 8);
            }
        });
    }

    private static int firstRow(List<String> page) {
        return page.indexOf(FIRST_LINE) + 2;
    }

    private static Map<String, List<Integer>> said() throws Exception {
        List<String> page = Files.readAllLines(PAGE);
        Map<String, List<Integer>> said = new LinkedHashMap<>();
        for (String line : page.subList(firstRow(page), page.size())) {
            if (line.isEmpty()) {
                break;
            }
            String[] fields = line.replace("`", "").split("\\|");
            said.put(
                    fields[1].trim(),
                    Stream.of(fields).skip(2).map(field -> Integer.parseInt(field.trim())).toList());
        }
        return said;
    }

    private static void rewrite(List<String> rows) throws Exception {
        List<String> page = new ArrayList<>(Files.readAllLines(PAGE));
        int first = firstRow(page);
        while (!page.get(first).isEmpty()) {
            page.remove(first);
        }
        page.addAll(first, rows);
        Files.write(PAGE, page);
    }

    /** Seeds that change with the sources, so that each commit meets others and its build can be repeated. */
    @Test
    void freshSeedsKeepAllPromises() throws Exception {
        run(Swarm.WINGS + SimulationTest.sourceHash() * 1000, FRESH_RUNS);
    }

    private static Runs.Total run(long first, int count) throws InterruptedException {
        Runs.Total total =
                Runs.run(first, count, System.nanoTime() + TimeUnit.MINUTES.toNanos(9), SimulationOptions::swarm);
        assertThat(total.runs()).isEqualTo(count);
        return total;
    }
}
