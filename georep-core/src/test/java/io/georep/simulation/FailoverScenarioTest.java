package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.analysis.Failover;
import io.georep.model.NodeId;
import io.georep.model.Profile;
import io.georep.protocol.membership.LifeSigns;
import io.georep.spi.PeerSelection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who adopts when ways are cut and stay cut: the whole protocol against the paper's tables and the formula. */
class FailoverScenarioTest {
    /** Longer than two time-outs, which it takes until silence has spread to both sides. */
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(20);

    private static Scenario cluster(int nodes, int queues, Profile profile, SimulationOptions.Rules rules) {
        return Scenario.of(
                nodes,
                queues,
                settings -> settings.profile(profile)
                        .suspectAfter(Duration.ofSeconds(3))
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
        assertThat(text(adopters(LifeSigns.UNSOLICITED, Profile.PAPER, blocked, true)))
                .isEqualTo(bothWays);
        assertThat(text(adopters(LifeSigns.UNSOLICITED, Profile.HARDENED, blocked, true)))
                .isEqualTo(bothWays);
        assertThat(text(adopters(LifeSigns.UNSOLICITED, Profile.PAPER, blocked, false)))
                .isEqualTo(outgoing);
        assertThat(text(adopters(LifeSigns.ROUNDTRIP, Profile.PAPER, blocked, false)))
                .isEqualTo(bothWays);
        assertThat(text(adopters(LifeSigns.SUPPRESSED, Profile.PAPER, blocked, false)))
                .isEqualTo(bothWays);

        Set<Integer> inReach = adopters(LifeSigns.UNSOLICITED, Profile.HARDENED, blocked, true);
        inReach.removeIf(node -> (blocked >> (node - 1) & 1) != 0);
        assertThat(text(inReach)).isEqualTo(expected);
    }

    private static Set<Integer> adopters(LifeSigns lifeSigns, Profile profile, int blocked, boolean bothWays) {
        Scenario scenario =
                cluster(4, 1, profile, SimulationOptions.Rules.fixed(4).lifeSigns(lifeSigns));
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
                    compare(Profile.PAPER, n, Digraphs.arrives(n, alive, bits), crashed);
                    compare(Profile.HARDENED, n, Digraphs.arrives(n, alive, bits), crashed);
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

    private static void compare(Profile profile, int n, long[] arrives, long crashed) {
        List<int[]> orders = Digraphs.permutations(n);
        List<PeerSelection.Candidate> wanted = new ArrayList<>();
        PeerSelection selection = (candidates, site, count, random) -> List.copyOf(wanted);
        Scenario scenario = cluster(
                n, orders.size(), profile, new SimulationOptions.Rules(selection, LifeSigns.UNSOLICITED, false));
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

        for (int i = 0; i < puts.size(); i++) {
            int[] order = orders.get(i);
            long expected = Failover.adopters(order, Failover.hears(arrives, false), crashed, 0);
            long adopted = 0;
            for (int node : scenario.adopters(puts.get(i))) {
                adopted |= 1L << (node - 1);
            }
            String situation = "%s: matrix %s, crashed %s, order %s"
                    .formatted(profile, Arrays.toString(arrives), crashed, Arrays.toString(order));
            if (profile == Profile.PAPER) {
                assertThat(adopted).as(situation).isEqualTo(expected);
            } else {
                assertThat(expected == 0 && adopted != 0).as(situation).isFalse();
                assertThat(expected & ~(adopted | warned(adopted, arrives)))
                        .as(situation)
                        .isZero();
            }
        }
    }

    /**
     * Whom a claim of these adopters reaches. Under {@link Profile#HARDENED} it may come in time: who gives way to it hears
     * its holder from then on and need not adopt. It may also move the order for those it is passed on to, who then may
     * adopt although the formula, which knows only the first order, says no; that each of them had a reason is I8.
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
