package io.georep.examples.sms.containers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The failover test of the paper (section IV, Tables 2, 3 and 5) in containers: four nodes, all of them owners of each message
 * (f = 3), some of them blocked. The paper numbers its cases by the owners that are blocked: originator 1, first 2, middle 4,
 * last 8. Here each gateway takes a message of its own, so a block of some gateways is up to four cases at once. Gateway k has
 * the order k, and then the others by number.
 */
@Tag("servers")
@EnabledIf("io.georep.examples.sms.containers.DockerEngine#answers")
final class FailoverContainerIT {
    private static final int NODES = 4;

    /** Who adopts in the paper's cases, by place in the order; the other cases say nobody that is in reach. */
    private static final Map<Integer, String> BOTH_WAYS =
            Map.of(0, "", 1, "2", 3, "2 3", 5, "2 3", 7, "2 3 4", 9, "2 4", 11, "2 3 4", 13, "2 3 4", 15, "2 3 4");

    private static final Map<Integer, String> OUTGOING =
            Map.of(0, "", 1, "2", 3, "2 3", 5, "2", 7, "2 3 4", 9, "2", 11, "2 3", 13, "2", 15, "2 3 4");

    private static Cluster cluster;
    private static Operator operator;

    private final Ledger ledger = new Ledger();

    @BeforeAll
    static void start() {
        cluster = new Cluster(3, NODES, NODES - 1);
        operator = cluster.operator();
        for (int i = 1; i <= NODES; i++) {
            cluster.gateway(i)
                    .container()
                    .withEnv("FIXED_ORDER", "g1,g2,g3,g4")
                    .withEnv("SPRING_MAIN_SOURCES", "io.georep.examples.inside.FixedOrder")
                    .withCreateContainerCmdModifier(create -> create.withEntrypoint(
                            "java", "-cp", "sms-gateway.jar:classes", "io.georep.examples.sms.SmsGatewayApplication"));
        }
        cluster.start(NODES);
    }

    @AfterAll
    static void remove() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @BeforeEach
    void mend() {
        cluster.mend();
    }

    /** Each bit a blocked gateway, g1 the lowest. */
    private static List<Integer> blocks() {
        return List.of(0b0000, 0b0001, 0b0100, 0b0101, 0b1010, 0b1011, 0b1110, 0b1111);
    }

    /** Where one direction makes a difference. */
    private static List<Integer> blocksOfSome() {
        return blocks().subList(1, blocks().size() - 1);
    }

    @Test
    void theBlocksAreAllCasesOfThePaper() {
        Set<Integer> cases = new TreeSet<>();
        for (int blocked : blocks()) {
            for (int origin = 0; origin < NODES; origin++) {
                cases.add(number(order(origin), blocked));
            }
        }

        assertThat(cases).isEqualTo(new TreeSet<>(IntStream.range(0, 16).boxed().toList()));
    }

    @ParameterizedTest
    @MethodSource("blocks")
    void gatewaysAdoptAsThePaperSaysWhenSomeAreBlockedBothWays(int blocked) {
        adopt(blocked, true, BOTH_WAYS);
    }

    /**
     * A link of TCP that carries data one way only does not last: nothing is confirmed on it, so it is closed after as long as it
     * takes to give a node up (rule M27), and a new one cannot be made. Then the block is one of both ways. So what is
     * compared is who has adopted before blocked gateways can have given up those they heard until then.
     */
    @ParameterizedTest
    @MethodSource("blocksOfSome")
    void gatewaysAdoptAsTheFormulaSaysWhenSomeAreNotHeard(int blocked) {
        adopt(blocked, false, OUTGOING);
    }

    private void adopt(int blocked, boolean bothWays, Map<Integer, String> table) {
        long[] hears = new long[NODES];
        for (int i = 0; i < NODES; i++) {
            for (int j = 0; j < NODES; j++) {
                boolean arrives = (blocked >> j & 1) == 0 && (!bothWays || (blocked >> i & 1) == 0);
                hears[i] |= arrives ? 1L << j : 0;
            }
        }
        Map<String, Long> before = adoptions();
        Map<String, Long> expected = new TreeMap<>(before);
        Map<Ledger.Attempt, Integer> forwarders = new LinkedHashMap<>();
        operator.throttle(true);
        for (int origin = 0; origin < NODES; origin++) {
            int[] order = order(origin);
            long adopters = adopters(order, hears);
            String row = table.get(number(order, blocked));
            assertThat(row == null ? places(order, adopters) : row).isEqualTo(places(order, adopters));
            for (int node = 0; node < NODES; node++) {
                if ((adopters >> node & 1) != 0) {
                    expected.merge(key(node, origin), 1L, Long::sum);
                }
            }
            Gateway gateway = cluster.gateway(origin + 1);
            Cluster.post(ledger, 1, List.of(gateway));
            List<Ledger.Attempt> all = ledger.all(Ledger.Answer.ACKNOWLEDGED);
            forwarders.put(all.get(all.size() - 1), 1 + Long.bitCount(adopters));
        }
        cluster.awaitCopies(NODES);

        for (int i = 0; i < NODES; i++) {
            if ((blocked >> i & 1) != 0) {
                Gateway gateway = cluster.gateway(i + 1);
                List<Gateway> others = cluster.membersBut(gateway);
                if (bothWays) {
                    Cluster.cutBothWays(gateway, others);
                } else {
                    Cluster.cutOutgoing(gateway, others);
                }
            }
        }
        Cluster.await("those who are not heard are given up", () -> givenUp(hears, true));
        Cluster.await("adoptions are " + expected, () -> adoptions().equals(expected));
        assertThat(givenUp(hears, false)).as("all others are still heard").isTrue();

        cluster.heal();
        cluster.awaitCalm();
        // Links come up one after another, and what waits between two attempts may change hands once more until all are
        // up.
        assertThat(adoptions())
                .allSatisfy((pair, count) ->
                        assertThat(count).as(pair).isGreaterThanOrEqualTo(expected.getOrDefault(pair, 0L)));
        operator.throttle(false);
        cluster.settle(ledger);
        forwarders.forEach((attempt, most) ->
                assertThat(attempt.arrivals()).as(attempt.toString()).isBetween(1, most));
    }

    /** The formula of docs/how-it-works/protocol.md, section 7: an owner adopts that hears none of those before it. */
    private static long adopters(int[] order, long[] hears) {
        long adopters = 0;
        long before = 1L << order[0];
        for (int place = 1; place < order.length; place++) {
            long self = 1L << order[place];
            adopters |= (hears[order[place]] & before) == 0 ? self : 0;
            before |= self;
        }
        return adopters;
    }

    /** Whether each gateway has given up all that it does not hear, or: none that it hears. */
    private static boolean givenUp(long[] hears, boolean unheard) {
        for (int i = 0; i < NODES; i++) {
            Map<String, String> states = cluster.gateway(i + 1).peers();
            for (int j = 0; j < NODES; j++) {
                boolean terminated = "TERMINATED".equals(states.get("g" + (j + 1)));
                boolean heard = (hears[i] >> j & 1) != 0;
                if (i != j && heard != unheard && terminated != unheard) {
                    return false;
                }
            }
        }
        return true;
    }

    /** How many messages each gateway has adopted from each other one, where there are any. */
    private static Map<String, Long> adoptions() {
        Map<String, Long> adoptions = new TreeMap<>();
        for (int node = 0; node < NODES; node++) {
            for (int origin = 0; origin < NODES; origin++) {
                long count = cluster.gateway(node + 1).adoptedFrom(cluster.gateway(origin + 1));
                if (count > 0) {
                    adoptions.put(key(node, origin), count);
                }
            }
        }
        return adoptions;
    }

    private static String key(int node, int origin) {
        return "g" + (node + 1) + " from g" + (origin + 1);
    }

    private static int[] order(int origin) {
        List<Integer> order = new ArrayList<>(List.of(origin));
        IntStream.range(0, NODES).filter(node -> node != origin).forEach(order::add);
        return order.stream().mapToInt(Integer::intValue).toArray();
    }

    /** The paper's number of a case: the places that are blocked, as bits. */
    private static int number(int[] order, int blocked) {
        int number = 0;
        for (int place = 0; place < NODES; place++) {
            number |= (blocked >> order[place] & 1) << place;
        }
        return number;
    }

    private static String places(int[] order, long nodes) {
        return String.join(
                " ",
                IntStream.range(0, NODES)
                        .filter(place -> (nodes >> order[place] & 1) != 0)
                        .mapToObj(place -> Integer.toString(place + 1))
                        .toList());
    }
}
