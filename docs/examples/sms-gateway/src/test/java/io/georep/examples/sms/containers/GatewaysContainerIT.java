package io.georep.examples.sms.containers;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.examples.sms.demo.SmppClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jsmpp.SMPPConstant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Five gateways in containers, with one copy of each message (f = 1): splits, crashes, pauses and what operators do. */
@Tag("servers")
@EnabledIf("io.georep.examples.sms.containers.DockerEngine#answers")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class GatewaysContainerIT {
    private static final int GATEWAYS = 5;
    private static final int HELD = 20;
    private static final int WINDOW = 100;

    private static Cluster cluster;
    private static Operator operator;

    private final Ledger ledger = new Ledger();

    @BeforeAll
    static void start() {
        // One more, that joins later.
        cluster = new Cluster(1, GATEWAYS + 1, 1);
        operator = cluster.operator();
        cluster.start(GATEWAYS);
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

    private static List<Gateway> gateways(int... numbers) {
        return Arrays.stream(numbers).mapToObj(cluster::gateway).toList();
    }

    /** 3 | 2. Who has f + 1 nodes goes on, and forwards what it has copies of. */
    @Test
    @Order(1)
    void bothSidesOfASplitAcknowledgeAndForward() {
        List<Gateway> three = gateways(1, 2, 3);
        List<Gateway> two = gateways(4, 5);
        long adoptedBefore = cluster.sum(Gateway::adopted);
        ledger.phase("held");
        operator.throttle(true);
        Cluster.post(ledger, HELD, cluster.members());
        ledger.phase("while the split is noticed");
        try (Traffic traffic = new Traffic(ledger, cluster.members())) {
            assertThat(three.get(0).reaches(two.get(0), Gateway.PEERS)).isTrue();
            cluster.split(List.of(three, two));
            assertThat(three.get(0).reaches(two.get(0), Gateway.PEERS)).isFalse();
            assertThat(two.get(0).reaches(three.get(0), Gateway.PEERS)).isFalse();
            assertThat(two.get(0).reaches(two.get(1), Gateway.PEERS)).isTrue();
            Cluster.awaitState(three, two, "TERMINATED");
            Cluster.awaitState(two, three, "TERMINATED");
            Cluster.awaitState(three.subList(1, 3), three.subList(0, 1), "ACTIVE");

            ledger.phase("split");
            Cluster.awaitAcknowledged(ledger, "split", 30, cluster.members());
            operator.throttle(false);
            cluster.awaitArrival(ledger);

            assertThat(cluster.sum(Gateway::adopted)).as("adopted").isGreaterThan(adoptedBefore);
            assertThat(ledger.all(Ledger.Answer.REFUSED, "split")).isEmpty();
            assertThat(ledger.all(Ledger.Answer.UNKNOWN, "split")).isEmpty();
            ledger.phase("while it heals");
            cluster.heal();
            cluster.awaitCalm();
            ledger.phase("healed");
            Cluster.awaitAcknowledged(ledger, "healed", 10, cluster.members());
        }

        cluster.settle(ledger);
        assertRepeatedOnlyIn(List.of("held", "while the split is noticed"));
    }

    private static Duration median(List<Duration> durations) {
        return durations.stream().sorted().toList().get(durations.size() / 2);
    }

    /** 4 | 1. Who is alone says so at once, and that another gateway may take the message. */
    @Test
    @Order(2)
    void aGatewayAloneRefusesAtOnceByType() throws Exception {
        Gateway alone = cluster.gateway(5);
        List<Gateway> four = cluster.membersBut(alone);
        ledger.phase("while the split is noticed");
        try (Traffic traffic = new Traffic(ledger, four);
                SmppClient session = alone.bind()) {
            Cluster.post(ledger, HELD, List.of(alone));
            cluster.split(List.of(four, List.of(alone)));
            Cluster.awaitState(four, List.of(alone), "TERMINATED");
            Cluster.await("it knows", () -> alone.selectable().isEmpty() && !alone.ready());

            ledger.phase("split");
            List<Gateway.Answer> answers = new ArrayList<>();
            List<Duration> probes = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                answers.add(alone.post(ledger));
                long begin = System.nanoTime();
                assertThat(alone.ready()).isFalse();
                probes.add(Duration.ofNanos(System.nanoTime() - begin));
            }
            assertThat(answers)
                    .allSatisfy(answer -> assertThat(answer.status()).isEqualTo(503))
                    .allSatisfy(answer -> assertThat(answer.type()).isEqualTo("urn:sms-gateway:unavailable"));
            // A refusal waits for nobody, as a probe at the same moment does not; the machine that runs all this may be
            // slow.
            Duration refusal =
                    median(answers.stream().map(Gateway.Answer::after).toList());
            assertThat(refusal).isLessThan(median(probes).multipliedBy(20).plusMillis(100));
            List<Duration> submits = new ArrayList<>();
            for (int i = 0; i < 9; i++) {
                long begin = System.nanoTime();
                assertThat(alone.submit(ledger, session)).isEqualTo(SMPPConstant.STAT_ESME_RSYSERR);
                submits.add(Duration.ofNanos(System.nanoTime() - begin));
            }
            assertThat(median(submits))
                    .isLessThan(median(probes).multipliedBy(20).plusMillis(100));
            Cluster.awaitAcknowledged(ledger, "split", 30, four);
            assertThat(ledger.all(Ledger.Answer.REFUSED, "split"))
                    .allMatch(attempt -> attempt.gateway.equals(alone.name()));

            ledger.phase("while it heals");
            cluster.heal();
            cluster.awaitCalm();
            ledger.phase("healed");
            Cluster.post(ledger, HELD, List.of(alone));
        }

        cluster.settle(ledger);
        assertRepeatedOnlyIn(List.of("while the split is noticed"));
    }

    /** kill -9, a store that is the same, empty or older; and when the copies are back, the next one loses its store. */
    @ParameterizedTest
    @EnumSource(Crashes.Disk.class)
    @Order(3)
    void copiesAreBackBeforeTheNextOneDies(Crashes.Disk disk) {
        new Crashes(cluster, ledger).survive(disk, gateways(1), gateways(2));
    }

    /** Stopped as by SIGSTOP, for longer than it takes to be given up: others forward what it had, and it gives that up. */
    @Test
    @Order(4)
    void aGatewayThatStoodStillCedes() {
        Gateway still = cluster.gateway(1);
        List<Gateway> others = cluster.membersBut(still);
        long adoptedBefore =
                others.stream().mapToLong(each -> each.adoptedFrom(still)).sum();
        ledger.phase("held");
        operator.throttle(true);
        Cluster.post(ledger, HELD, cluster.members());
        cluster.pause(still);
        ledger.phase("while the pause is noticed");
        for (Gateway gateway : others) {
            for (int i = 0; i < 5; i++) {
                gateway.post(ledger);
            }
        }
        Cluster.awaitState(others, List.of(still), "TERMINATED");
        Cluster.await(
                "all that it held is adopted",
                () -> others.stream().mapToLong(each -> each.adoptedFrom(still)).sum() - adoptedBefore == HELD);
        ledger.phase("paused");
        try (Traffic traffic = new Traffic(ledger, others)) {
            operator.throttle(false);
            cluster.awaitArrival(ledger);
            Cluster.awaitAcknowledged(ledger, "paused", 30, others);
            ledger.phase("going on");
            cluster.unpause(still);
            cluster.awaitCalm();
            traffic.sendTo(still);
            Cluster.awaitAcknowledged(ledger, "going on", 10, cluster.members());
        }

        cluster.settle(ledger);
        assertThat(ledger.all(Ledger.Answer.REFUSED)).isEmpty();
        // What its own handlers had in hand when it stopped, they submit when it goes on.
        assertThat(ledger.repeated())
                .allMatch(attempt -> attempt.phase.equals("held") && attempt.gateway.equals(still.name()))
                .allMatch(attempt -> attempt.arrivals() == 2);
    }

    /** Each says GOODBYE and comes back in time, so nobody adopts, and nothing is forwarded twice. */
    @Test
    @Order(5)
    void aRollingRestartIsNoFailure() {
        ledger.phase("rolling");
        try (Traffic traffic = new Traffic(ledger, cluster.members())) {
            for (Gateway gateway : cluster.members()) {
                List<Gateway> others = cluster.membersBut(gateway);
                long before = others.stream().mapToLong(Gateway::adopted).sum();
                gateway.stop();
                Cluster.awaitState(others, List.of(gateway), "ARNOLD");
                String phase = "without " + gateway.name();
                ledger.phase(phase);
                Cluster.awaitAcknowledged(ledger, phase, 10, others);
                gateway.start();
                cluster.awaitCalm();
                assertThat(cluster.sum(Gateway::adopted)).as("adopted").isEqualTo(before);
            }
        }

        cluster.settle(ledger);
        assertThat(ledger.repeated()).isEmpty();
    }

    /** The limit of f = 1, and the proof that a loss would be noticed: two owners lose their stores at the same time. */
    @Test
    @Order(6)
    void theAccountantNoticesALoss() {
        List<Gateway> both = gateways(1, 2);
        operator.throttle(true);
        Cluster.post(ledger, 2 * HELD, both);
        cluster.awaitCopies(4 * HELD);
        both.forEach(Gateway::kill);
        both.forEach(operator::empty);
        both.forEach(Gateway::start);
        cluster.awaitCalm();
        operator.throttle(false);
        Cluster.await("what is left is forwarded", () -> {
            operator.report(ledger);
            return cluster.sum(Gateway::backlog) == 0 && cluster.sum(Gateway::copies) == 0;
        });

        operator.report(ledger);
        List<String> names = both.stream().map(Gateway::name).toList();
        assertThat(ledger.missing())
                .as("each of them had given copies to the other")
                .isNotEmpty()
                .hasSizeLessThan(4 * HELD)
                .allMatch(attempt -> names.contains(attempt.gateway));
        assertThat(ledger.faults()).isEmpty();
    }

    /** A new one takes part under load; then it is drained and removed, and nobody misses it. */
    @Test
    @Order(7)
    void oneJoinsAndIsDrainedAndRemoved() {
        List<Gateway> before = cluster.members();
        Gateway sixth = cluster.gateway(GATEWAYS + 1);
        ledger.phase("joining");
        try (Traffic traffic = new Traffic(ledger, before)) {
            Cluster.awaitAcknowledged(ledger, "joining", 10, before);
            operator.throttle(true);
            cluster.join(sixth);
            cluster.awaitCalm();
            traffic.sendTo(sixth);
            Cluster.awaitAcknowledged(ledger, "joining", 10, List.of(sixth));
            Cluster.await("the sixth has copies", () -> sixth.copies() > 0);
            operator.throttle(false);
        }
        cluster.settle(ledger);
        assertThat(ledger.all(Ledger.Answer.REFUSED)).isEmpty();
        assertThat(ledger.all(Ledger.Answer.UNKNOWN)).isEmpty();
        assertThat(ledger.repeated()).isEmpty();

        ledger.phase("draining");
        operator.throttle(true);
        Cluster.post(ledger, 8 * HELD, List.of(sixth));
        before.get(0).order(sixth, "drain");
        // What its listener has (georep.listener.window) stays there, because the operator takes nothing.
        Cluster.await("the rest is handed over", () -> sixth.backlog() <= WINDOW && sixth.copies() == 0);
        assertThat(cluster.sum(Gateway::backlog)).isEqualTo(8L * HELD);
        Gateway.Answer answer = sixth.post(ledger);
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.type()).isEqualTo("urn:sms-gateway:unavailable");
        operator.throttle(false);
        Cluster.await("it is empty", () -> sixth.backlog() == 0 && sixth.copies() == 0);
        sixth.stop();
        before.get(0).order(sixth, "remove");
        cluster.forget(sixth);
        Cluster.await(
                "nobody knows it",
                () -> before.stream().noneMatch(each -> each.peers().containsKey(sixth.name())));

        cluster.settle(ledger);
        assertThat(ledger.repeated()).isEmpty();
    }

    /** The cause of a repetition is a split that came before the message was forwarded; each side forwards once. */
    private void assertRepeatedOnlyIn(List<String> phases) {
        assertThat(ledger.repeated())
                .allMatch(attempt -> phases.contains(attempt.phase))
                .allMatch(attempt -> attempt.arrivals() <= cluster.f() + 1);
    }
}
