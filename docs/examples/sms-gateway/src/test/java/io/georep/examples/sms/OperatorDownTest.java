package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.examples.sms.demo.FreePort;
import io.georep.examples.sms.simulator.OperatorSimulator;
import io.georep.examples.sms.smpp.SmppStatusException;
import io.georep.outbox.OutboxActivity;
import io.georep.outbox.QueueStatistics;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jsmpp.SMPPConstant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The operator is down when the gateways start, comes, goes and comes back: what was accepted meanwhile arrives. */
@Timeout(180)
final class OperatorDownTest {
    private static final int SITES = 2;
    private static final int EACH = 50;
    private static final int WINDOW = 8;

    /** Attempts at each message while the operator is down. */
    private static final int FAILURES = 3;

    private final Queue<String> received = new ConcurrentLinkedQueue<>();
    private final Set<String> accepted = new HashSet<>();

    @Test
    void whatIsAcceptedMeanwhileArrivesWhenTheOperatorIsThere(@TempDir Path directory) throws Exception {
        int port = FreePort.find();
        try (Sites sites = Sites.start(
                SITES,
                directory,
                "sms.operator.port=" + port,
                "sms.operator.window=" + WINDOW,
                "sms.operator.reconnect-max=100ms",
                "sms.operator.patience=20ms")) {
            postWhileItIsDown(sites, "first");
            try (OperatorSimulator first = open(port)) {
                awaitAll(sites);
                assertThat(received).as("nobody had them before").hasSize(SITES * EACH);
                assertThat(first.sessions()).isEqualTo(SITES);
            }
            postWhileItIsDown(sites, "second");
            try (OperatorSimulator back = open(port)) {
                awaitAll(sites);
                assertThat(back.duplicates()).isZero();
            }
            assertThat(received).as("no answer was under way when it went").hasSize(2 * SITES * EACH);
            for (int site = 0; site < SITES; site++) {
                assertThat(of(sites, site).deadLettered()).isZero();
            }
        }
    }

    /** One client sends them without end, and each would hold a call of the forwarder for as long as the operator says no. */
    @ParameterizedTest
    @ValueSource(ints = {SMPPConstant.STAT_ESME_RMSGQFUL, SMPPConstant.STAT_ESME_RTHROTTLED})
    void messagesThatTheOperatorTakesLaterHoldUpNobodyElse(int status, @TempDir Path directory) throws Exception {
        AtomicInteger refused = new AtomicInteger();
        try (OperatorSimulator operator =
                        OperatorSimulator.open("localhost", 0, List.of("ams", "nyc"), "secret", each -> {
                            if (each.sms().text().startsWith("full")) {
                                refused.incrementAndGet();
                                throw new SmppStatusException(status, "not now");
                            }
                            received.add(each.sms().text());
                        });
                Sites sites = Sites.start(
                        SITES,
                        directory,
                        "sms.operator.port=" + operator.port(),
                        "sms.operator.window=" + WINDOW,
                        "sms.operator.throttle-max=300ms")) {
            for (int i = 0; i < EACH; i++) {
                // Each to a number of its own: one that is full is not tried again at once.
                post(sites, 0, "full " + i, "+4420123" + (1000 + i));
            }
            Await.until("all calls to have been busy with them", () -> refused.get() >= 2 * WINDOW);
            for (int i = 0; i < EACH; i++) {
                String text = "other " + i;
                post(sites, 0, text);
                accepted.add(text);
            }

            Await.until("the others to arrive", () -> Set.copyOf(received).equals(accepted));
            assertThat(of(sites, 0).deadLettered()).isZero();
        }
    }

    private static void post(Sites sites, int site, String text) throws Exception {
        post(sites, site, text, "+31201234567");
    }

    private static void post(Sites sites, int site, String text, String to) throws Exception {
        assertThat(sites.post(site, "{\"from\": \"GeoRep\", \"to\": \"" + to + "\", \"text\": \"" + text + "\"}")
                        .statusCode())
                .isEqualTo(202);
    }

    private OperatorSimulator open(int port) {
        return OperatorSimulator.open(
                "localhost",
                port,
                List.of("ams", "nyc"),
                "secret",
                each -> received.add(each.sms().text()));
    }

    private static QueueStatistics of(Sites sites, int site) {
        return sites.node(site).statistics().of(OutboxActivity.class).queues().get(SmsIntake.QUEUE);
    }

    private void postWhileItIsDown(Sites sites, String name) throws Exception {
        List<Long> before = new ArrayList<>();
        for (int site = 0; site < SITES; site++) {
            before.add(of(sites, site).failedAttempts());
            for (int i = 0; i < EACH; i++) {
                String text = name + " " + site + " " + i;
                post(sites, site, text);
                accepted.add(text);
            }
        }
        for (int site = 0; site < SITES; site++) {
            int here = site;
            Await.until(
                    "each to have failed several times",
                    () -> of(sites, here).failedAttempts() - before.get(here) >= FAILURES * EACH);
        }
    }

    private void awaitAll(Sites sites) {
        Await.until("all to be at the operator", () -> Set.copyOf(received).equals(accepted));
        for (int site = 0; site < SITES; site++) {
            int here = site;
            Await.until(
                    "all to be forwarded",
                    () -> of(sites, here).parked() + of(sites, here).active() == 0);
        }
    }
}
