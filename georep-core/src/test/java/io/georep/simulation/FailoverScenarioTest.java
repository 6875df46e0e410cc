package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.analysis.Failover;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.spi.PeerSelection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who adopts when ways are cut and stay cut: the whole protocol against the paper's tables and the formula. */
class FailoverScenarioTest {
    /** Longer than two time-outs, which it takes until silence has spread to both sides. */
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(20);

    private static Scenario cluster(int nodes, int queues, SimulationOptions.Rules rules) {
        return Scenario.of(
                nodes,
                queues,
                settings -> settings.suspectAfter(Duration.ofSeconds(3))
                        .terminateAfter(Duration.ofSeconds(3))
                        .putTimeout(Duration.ofSeconds(2)),
                rules);
    }

    private static String text(Set<Integer> nodes) {
        return nodes.isEmpty() ? "-" : nodes.stream().map(String::valueOf).collect(Collectors.joining("+"));
    }

    /** The paper's experiment (section IV): four owners in the order of their names, some of them blocked. */
    @ParameterizedTest(name = "case {0}: {1}, both ways {2}, outgoing only {3}")
    @CsvSource({
        "0, -, -, -",
        "1, 2, 2, 2",
        "3, 3, 2+3, 2+3",
        "5, 2, 2+3, 2",
        "7, 4, 2+3+4, 2+3+4",
        "9, 2, 2+4, 2",
        "11, 3, 2+3+4, 2+3",
        "13, 2, 2+3+4, 2",
        "15, -, 2+3+4, 2+3+4"
    })
    void nodesAdoptAsInTheTablesOfThePaper(int blocked, String expected, String bothWays, String outgoing) {
        assertThat(text(adopters(blocked, false))).isEqualTo(outgoing);
        Set<Integer> inReach = adopters(blocked, true);
        assertThat(text(inReach)).isEqualTo(bothWays);
        inReach.removeIf(node -> (blocked >> (node - 1) & 1) != 0);
        assertThat(text(inReach)).isEqualTo(expected);
    }

    private static Set<Integer> adopters(int blocked, boolean bothWays) {
        Scenario scenario = cluster(4, 1, SimulationOptions.Rules.fixed(4));
        History.Put put = scenario.put(1, 3);
        for (int a = 1; a <= 4; a++) {
            for (int b = 1; b <= 4; b++) {
                boolean out = (blocked >> (a - 1) & 1) != 0;
                boolean in = bothWays && (blocked >> (b - 1) & 1) != 0;
                if (a != b && (out || in)) {
                    scenario.cut(a, b);
                }
            }
        }
        scenario.pass(LONG_ENOUGH);
        return scenario.adopters(put);
    }

    /**
     * Every reachability matrix and every crash set: ways of crashed nodes do not matter, and putting an entry in every
     * order of owners makes matrices equal that differ by names only, so one of each kind is run.
     */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void nodesAdoptAsTheFormulaSaysForEveryMatrixAndCrashSet(int n) {
        int runs = 0;
        for (int alive = 0; alive <= n; alive++) {
            Set<Integer> seen = new TreeSet<>();
            for (int bits = 0; bits < 1 << alive * (alive - 1); bits++) {
                if (seen.add(Digraphs.canonical(alive, bits))) {
                    long crashed = -1L << alive & (1L << n) - 1;
                    compare(n, Digraphs.arrives(n, alive, bits), crashed);
                    runs++;
                }
            }
        }

        assertThat(runs).isEqualTo(new int[] {0, 1, 5, 21, 239}[n]);
    }

    @Test
    void kindsOfMatricesAreAsManyAsKnown() {
        for (int n = 1; n <= 4; n++) {
            Set<Integer> seen = new TreeSet<>();
            for (int bits = 0; bits < 1 << n * (n - 1); bits++) {
                seen.add(Digraphs.canonical(n, bits));
            }

            assertThat(seen).hasSize(new int[] {0, 1, 3, 16, 218}[n]);
        }
    }

    private static void compare(int n, long[] arrives, long crashed) {
        List<int[]> orders = Digraphs.permutations(n);
        List<PeerSelection.Candidate> wanted = new ArrayList<>();
        PeerSelection selection = (candidates, site, count, random) -> List.copyOf(wanted);
        Scenario scenario = cluster(n, orders.size(), new SimulationOptions.Rules(selection, false));
        List<History.Put> puts = new ArrayList<>();
        for (int[] order : orders) {
            wanted.clear();
            for (int k = 1; k < n; k++) {
                wanted.add(new PeerSelection.Candidate(NodeId.of("n" + (order[k] + 1)), "", 0));
            }
            puts.add(scenario.put(order[0] + 1, n - 1, puts.size()));
        }

        for (int a = 0; a < n; a++) {
            if ((crashed >> a & 1) != 0) {
                scenario.crash(a + 1);
            }
            for (int b = 0; b < n; b++) {
                if (a != b && (arrives[a] >> b & 1) == 0) {
                    scenario.cut(a + 1, b + 1);
                }
            }
        }
        scenario.pass(LONG_ENOUGH);
        long[] hears = Failover.hears(arrives, false);
        assertThat(givenUp(scenario, n, crashed)).isEqualTo(unheard(hears, crashed));

        for (int i = 0; i < puts.size(); i++) {
            int[] order = orders.get(i);
            long expected = Failover.adopters(order, hears, crashed, 0);
            long adopted = 0;
            for (int node : scenario.adopters(puts.get(i))) {
                adopted |= 1L << (node - 1);
            }
            String situation = "matrix %s, crashed %s, order %s"
                    .formatted(Arrays.toString(arrives), crashed, Arrays.toString(order));
            assertThat(expected == 0 && adopted != 0).as(situation).isFalse();
            assertThat(expected & ~(adopted | warned(adopted, arrives)))
                    .as(situation)
                    .isZero();
        }
    }

    /** Whom each live node has given up. */
    private static List<Set<Integer>> givenUp(Scenario scenario, int n, long crashed) {
        return views(n, crashed, (node, of) -> scenario.view(node + 1, of + 1) == PeerState.TERMINATED);
    }

    private static List<Set<Integer>> unheard(long[] hears, long crashed) {
        return views(hears.length, crashed, (node, of) -> (hears[node] & ~crashed & 1L << of) == 0);
    }

    private static List<Set<Integer>> views(int n, long crashed, BiPredicate<Integer, Integer> isOf) {
        List<Set<Integer>> views = new ArrayList<>();
        for (int node = 0; node < n; node++) {
            Set<Integer> view = new TreeSet<>();
            for (int of = 0; of < n; of++) {
                if (node != of && (crashed >> node & 1) == 0 && isOf.test(node, of)) {
                    view.add(of);
                }
            }
            views.add(view);
        }
        return views;
    }

    /**
     * Whom a claim of these adopters reaches. It may come in time: who gives way to it hears its holder from then on and need
     * not adopt. It may also move the order for those it is passed on to, who then may adopt although the formula, which knows
     * only the first order, says no; that each of them had a reason is I8.
     */
    private static long warned(long adopted, long[] arrives) {
        long warned = 0;
        for (int adopter = 0; adopter < arrives.length; adopter++) {
            if ((adopted >> adopter & 1) != 0) {
                warned |= arrives[adopter];
            }
        }
        return warned;
    }
}
