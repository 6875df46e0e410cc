package io.georep.examples.sms.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.georep.examples.sms.Address;
import io.georep.examples.sms.AdoptionGate;
import io.georep.examples.sms.Await;
import io.georep.examples.sms.Sms;
import io.georep.examples.sms.SmsProperties;
import io.georep.examples.sms.simulator.OperatorSimulator;
import io.georep.model.EntryId;
import io.georep.spring.DeadLetterException;
import io.georep.testing.LocalCluster;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jsmpp.SMPPConstant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class OperatorLinkTest {
    static final int WINDOW = 4;
    static final Duration ENQUIRE_LINK = Duration.ofSeconds(1);
    static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(2);
    static final Sms SMS = Sms.text(Address.parse("GeoRep"), Address.parse("+31201234567"), "x", false);

    /** Messages at which the operator's sessions break. */
    private final Set<String> deadly = ConcurrentHashMap.newKeySet();

    private final AtomicInteger breaks = new AtomicInteger();
    private final AtomicInteger received = new AtomicInteger();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private OperatorSimulator operator;
    private LocalCluster cluster;
    private OperatorLink link;
    private int sequence;

    @BeforeEach
    void start() {
        operator = OperatorSimulator.open("localhost", 0, List.of("gateway"), "secret", this::receive);
        cluster = LocalCluster.start(1);
        link = new OperatorLink(
                Operators.FIRST,
                properties(
                        operator.port(),
                        Duration.ofSeconds(Await.SECONDS_MAX),
                        Duration.ofMillis(100),
                        ENQUIRE_LINK,
                        RESPONSE_TIMEOUT),
                Integer.MAX_VALUE,
                new AdoptionGate(cluster.node(1)),
                sms -> null,
                meters,
                System::nanoTime);
        link.start();
        Await.until("a session", link::connected);
    }

    @AfterEach
    void stop() {
        link.stop();
        cluster.close();
        operator.close();
        threads.shutdownNow();
    }

    private void receive(OperatorSimulator.Received message) {
        if (deadly.contains(message.entryId())) {
            breaks.incrementAndGet();
            operator.dropSessions();
        } else {
            received.incrementAndGet();
        }
    }

    static SmsProperties.Operator properties(
            int port, Duration patience, Duration reconnectMax, Duration enquireLink, Duration responseTimeout) {
        return new SmsProperties.Operator(
                "localhost",
                port,
                "gateway",
                "secret",
                WINDOW,
                Duration.ofSeconds(5),
                responseTimeout,
                enquireLink,
                Duration.ofMillis(10),
                reconnectMax,
                Duration.ofMillis(10),
                Duration.ofMillis(50),
                patience);
    }

    private EntryId nextId() {
        return EntryId.parse("n1:1:0:" + sequence++);
    }

    /** It may be the only one that is, and must not hold a call of the forwarder. */
    @Test
    void leavesAMessageThatIsThrottledToALaterAttempt() throws Exception {
        operator.throttle(true);
        EntryId id = nextId();

        for (int i = 0; i < 3; i++) {
            assertThatExceptionOfType(OperatorUnavailableException.class)
                    .isThrownBy(() -> link.submit(SMS, id))
                    .withMessageContaining("0x00000058");
        }
        operator.throttle(false);

        assertThat(link.submit(SMS, id)).isEqualTo("1");
        assertThat(meters.get("sms.operator.throttled").counter().count()).isEqualTo(3);
    }

    /** It is said of one number, as a rule. */
    @Test
    void aFullQueueIsNoReasonToPause() {
        operator.refuse(SMPPConstant.STAT_ESME_RMSGQFUL);

        assertThatExceptionOfType(OperatorUnavailableException.class)
                .isThrownBy(() -> link.submit(SMS, nextId()))
                .withMessageContaining("0x00000014");
        assertThat(meters.get("sms.operator.throttled").counter().count()).isZero();
    }

    /** Those to others would hardly be submitted. */
    @Test
    void messagesToAFullNumberAreNotSubmittedAgainAndAgain() throws Exception {
        operator.refuse(SMPPConstant.STAT_ESME_RMSGQFUL);
        int submitted = 0;
        for (int i = 0; i < 300; i++) {
            try {
                link.submit(SMS, nextId());
            } catch (OperatorUnavailableException e) {
                submitted += e.getMessage().contains("0x00000014") ? 1 : 0;
            }
        }
        // One more with each pause that is over.
        assertThat(submitted).isBetween(1, 20);

        operator.refuse(0);
        Sms other = Sms.text(Address.parse("GeoRep"), Address.parse("+31201234568"), "x", false);
        assertThat(link.submit(other, nextId())).isNotEmpty();
        Future<String> again = threads.submit(() -> submitPatiently(nextId()));
        assertThat(again.get(Await.SECONDS_MAX, TimeUnit.SECONDS)).isNotEmpty();
    }

    @Test
    void opensANewSessionWhenTheOperatorDropsIt() throws Exception {
        operator.dropSessions();
        Await.until("a new session", () -> operator.sessions() == 1 && link.connected());

        EntryId id = nextId();
        Future<String> submit = threads.submit(() -> submitPatiently(id));

        assertThat(submit.get(Await.SECONDS_MAX, TimeUnit.SECONDS)).isNotEmpty();
    }

    /** The link may not have noticed the end of its session yet. */
    private String submitPatiently(EntryId id) throws InterruptedException {
        while (true) {
            try {
                return link.submit(SMS, id);
            } catch (OperatorUnavailableException e) {
                Await.until("a session", link::connected);
            }
        }
    }

    /** It costs its own sender a message, and nobody else's messages more than a while. */
    @Test
    void setsAsideAMessageAtWhichTheSessionBreaksAgainAndAgain() throws Exception {
        EntryId poison = nextId();
        deadly.add(poison.toString());
        Future<String> bad = threads.submit(() -> submitPatiently(poison));

        int others = 0;
        while (!bad.isDone()) {
            EntryId id = nextId();
            assertThat(threads.submit(() -> submitPatiently(id)).get(Await.SECONDS_MAX, TimeUnit.SECONDS))
                    .isNotEmpty();
            others++;
        }

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(bad::get)
                .withCauseInstanceOf(DeadLetterException.class)
                .withMessageContaining("broke 3 times");
        assertThat(received.get()).isGreaterThanOrEqualTo(others);
        assertThat(breaks.get()).isGreaterThanOrEqualTo(3);
    }

    /** The fault is the operator's, and no message is given up for it. */
    @Test
    void setsNothingAsideWhileTheSessionBreaksAtEveryMessage() {
        EntryId id = nextId();
        deadly.add(id.toString());

        for (int i = 0; i < 6; i++) {
            Await.until("a session", () -> operator.sessions() == 1 && link.connected());
            assertThatExceptionOfType(OperatorUnavailableException.class).isThrownBy(() -> link.submit(SMS, id));
        }
    }

    /** Among them an invalid priority, invalid registered_delivery, and types of number. */
    @ParameterizedTest
    @ValueSource(ints = {SMPPConstant.STAT_ESME_RINVDSTADR, 0x06, 0x07, 0x48, 0x49})
    void setsAsideWhatTheOperatorWillNeverTake(int status) {
        operator.refuse(status);

        assertThatExceptionOfType(DeadLetterException.class)
                .isThrownBy(() -> link.submit(SMS, nextId()))
                .withMessageContaining(String.format("0x%08x", status));
    }

    @Test
    void leavesOtherRefusalsToALaterAttempt() {
        operator.refuse(SMPPConstant.STAT_ESME_RSYSERR);

        assertThatExceptionOfType(OperatorUnavailableException.class)
                .isThrownBy(() -> link.submit(SMS, nextId()))
                .withMessageContaining("0x00000008");
    }

    @Test
    void keepsToTheWindow() throws Exception {
        operator.delay(Duration.ofMillis(300));

        List<Future<String>> submits = new ArrayList<>();
        for (int i = 0; i < 3 * WINDOW; i++) {
            EntryId id = nextId();
            submits.add(threads.submit(() -> link.submit(SMS, id)));
        }
        Await.until("the window to fill", () -> received.get() >= WINDOW);
        assertThat(submits.stream().filter(Future::isDone).count() + WINDOW).isGreaterThanOrEqualTo(received.get());

        for (Future<String> submit : submits) {
            submit.get(Await.SECONDS_MAX, TimeUnit.SECONDS);
        }
        assertThat(received).hasValue(3 * WINDOW);
    }

    @Test
    void losesPatienceWithoutASession() {
        OperatorLink idle = linkTo(operator.port(), Duration.ofMillis(50), Integer.MAX_VALUE);

        assertThatExceptionOfType(OperatorUnavailableException.class)
                .isThrownBy(() -> idle.submit(SMS, nextId()))
                .withMessageContaining("no session");
    }

    private OperatorLink linkTo(int port, Duration patience, int share) {
        return linkTo(port, patience, share, cluster, ENQUIRE_LINK, RESPONSE_TIMEOUT);
    }

    /** A link that is yet to be started. */
    static OperatorLink linkTo(
            int port,
            Duration patience,
            int share,
            LocalCluster cluster,
            Duration enquireLink,
            Duration responseTimeout) {
        return linkTo(port, patience, share, cluster, enquireLink, responseTimeout, System::nanoTime);
    }

    static OperatorLink linkTo(
            int port,
            Duration patience,
            int share,
            LocalCluster cluster,
            Duration enquireLink,
            Duration responseTimeout,
            LongSupplier nanos) {
        return new OperatorLink(
                "other",
                properties(port, patience, Duration.ofMinutes(1), enquireLink, responseTimeout),
                share,
                new AdoptionGate(cluster.node(1)),
                sms -> null,
                new SimpleMeterRegistry(),
                nanos);
    }

    /** Messages to other operators need somebody who sends them. */
    @Test
    void onlyAShareWaitsForAnOperatorThatIsAway() throws Exception {
        OperatorLink away = linkTo(operator.port(), Duration.ofSeconds(Await.SECONDS_MAX), 1);
        CountDownLatch refused = new CountDownLatch(2);
        for (int i = 0; i < 3; i++) {
            EntryId id = nextId();
            var unused = threads.submit(() -> {
                assertThatExceptionOfType(OperatorUnavailableException.class)
                        .isThrownBy(() -> away.submit(SMS, id))
                        .withMessageContaining("others wait");
                refused.countDown();
                return null;
            });
        }

        assertThat(refused.await(Await.SECONDS_MAX / 2, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void onlyAShareWaitsForAnOperatorThatIsSlow() throws Exception {
        OperatorLink slow = linkTo(operator.port(), Duration.ofSeconds(Await.SECONDS_MAX), 1);
        slow.start();
        try {
            Await.until("a session", slow::connected);
            operator.delay(Duration.ofMillis(1100));
            assertThat(slow.submit(SMS, nextId())).isNotEmpty();
            operator.delay(Duration.ofMillis(1900));
            int before = received.get();
            EntryId first = nextId();
            Future<String> under = threads.submit(() -> slow.submit(SMS, first));
            Await.until("the first to be under way", () -> received.get() > before || under.isDone());

            assertThatExceptionOfType(OperatorUnavailableException.class)
                    .isThrownBy(() -> slow.submit(SMS, nextId()))
                    .withMessageContaining("others wait");

            operator.delay(Duration.ZERO);
            Await.until("it to be quick again", () -> {
                try {
                    return !slow.submit(SMS, nextId()).isEmpty();
                } catch (OperatorUnavailableException e) {
                    return false;
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
        } finally {
            slow.stop();
        }
    }

    @Test
    void pausesDoubleAndStartAgain() {
        Backoff backoff = new Backoff(Duration.ofNanos(10), Duration.ofNanos(35));

        assertThat(List.of(backoff.failed(), backoff.failed(), backoff.failed(), backoff.failed()))
                .containsExactly(10L, 20L, 35L, 35L);
        backoff.succeeded();
        assertThat(backoff.failed()).isEqualTo(10);
    }
}
