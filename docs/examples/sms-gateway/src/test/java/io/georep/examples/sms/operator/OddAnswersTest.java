package io.georep.examples.sms.operator;

import static io.georep.examples.sms.operator.OperatorLinkTest.ENQUIRE_LINK;
import static io.georep.examples.sms.operator.OperatorLinkTest.SMS;
import static io.georep.examples.sms.operator.OperatorLinkTest.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.georep.examples.sms.Await;
import io.georep.examples.sms.Sms;
import io.georep.model.EntryId;
import io.georep.spring.DeadLetterException;
import io.georep.testing.LocalCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jsmpp.SMPPConstant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Links to operators that answer what nobody expects, or nothing. */
final class OddAnswersTest {
    private static final byte[] ID = {'1', 0};
    private static final String ID_OF_64 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    private static final Sms EXPIRED = new Sms(
            SMS.from(),
            SMS.to(),
            SMS.content(),
            SMS.dataCoding(),
            SMS.esmClass(),
            SMS.protocolId(),
            SMS.priority(),
            SMS.registeredDelivery(),
            "",
            "200101000000000+",
            "",
            List.of());

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private LocalCluster cluster;
    private int sequence;

    @BeforeEach
    void start() {
        cluster = LocalCluster.start(1);
    }

    @AfterEach
    void stop() {
        cluster.close();
        threads.shutdownNow();
    }

    private EntryId nextId() {
        return EntryId.parse("n1:1:0:" + sequence++);
    }

    private OperatorLink started(OddOperator odd) {
        return started(odd, ENQUIRE_LINK);
    }

    private OperatorLink started(OddOperator odd, Duration enquireLink) {
        OperatorLink link = OperatorLinkTest.linkTo(
                odd.port(), Duration.ofSeconds(Await.SECONDS_MAX), Integer.MAX_VALUE, cluster, enquireLink);
        link.start();
        return link;
    }

    /** jSMPP fails with what nobody expects, on the thread that keeps the link. */
    @Test
    void triesAgainAfterABindThatIsAnsweredInAWayNobodyAnswers() throws Exception {
        AtomicInteger sessions = new AtomicInteger();
        try (OddOperator odd = new OddOperator((command, sequence, session) -> {
            boolean first = sessions.getAndIncrement() == 0;
            OddOperator.answer(
                    session,
                    first ? SMPPConstant.CID_ENQUIRE_LINK_RESP : SMPPConstant.CID_BIND_TRANSCEIVER_RESP,
                    sequence,
                    first ? new byte[0] : OddOperator.NO_NAME);
            return true;
        })) {
            OperatorLink other = started(odd);

            Await.until("a session", other::connected);
            other.stop();
        }
    }

    /** The operator has taken the message: it must not be submitted again. */
    @ParameterizedTest
    @ValueSource(strings = {"", "12", "12\0", "12\0\1\2", ID_OF_64 + "\0", ID_OF_64 + "345\0"})
    void takesAnIdInWhateverForm(String id) throws Exception {
        try (OddOperator odd = new OddOperator((command, sequence, session) -> {
            boolean submit = command == SMPPConstant.CID_SUBMIT_SM;
            byte[] body = submit ? id.getBytes(StandardCharsets.US_ASCII) : OddOperator.NO_NAME;
            OddOperator.answer(session, command | 0x80000000, sequence, body);
            return true;
        })) {
            OperatorLink other = started(odd);
            Await.until("a session", other::connected);

            String taken = other.submit(SMS, nextId());

            String told = id.replaceAll("\0.*", "");
            assertThat(taken).isEqualTo("other/" + told.substring(0, Math.min(64, told.length())));
            other.stop();
        }
    }

    /** Nobody waits for the answer when it comes. The next answer shows that it was read. */
    @ParameterizedTest
    @ValueSource(ints = {SMPPConstant.STAT_ESME_ROK, SMPPConstant.STAT_ESME_RINVDSTADR})
    void takesAnAnswerThatComesTooLate(int status) throws Exception {
        List<Integer> submits = new CopyOnWriteArrayList<>();
        try (OddOperator odd = new OddOperator((command, sequence, session) -> {
            boolean submit = command == SMPPConstant.CID_SUBMIT_SM;
            if (submit) {
                submits.add(sequence);
            }
            if (submits.size() == 2) {
                OddOperator.answer(session, command | 0x80000000, status, submits.get(0), ID);
            }
            if (!submit || submits.size() == 2) {
                OddOperator.answer(session, command | 0x80000000, sequence, ID);
            }
            return true;
        })) {
            OperatorLink other = started(odd, Duration.ofSeconds(Await.SECONDS_MAX));
            Await.until("a session", other::connected);
            EntryId late = nextId();
            assertThatExceptionOfType(OperatorUnavailableException.class).isThrownBy(() -> other.submit(SMS, late));
            assertThat(other.submit(SMS, nextId())).isEqualTo("other/1");

            if (status == SMPPConstant.STAT_ESME_ROK) {
                assertThat(other.submit(EXPIRED, late))
                        .as("its validity ended before it was tried again")
                        .isEqualTo("other/1");
            } else {
                assertThatExceptionOfType(DeadLetterException.class).isThrownBy(() -> other.submit(SMS, late));
            }

            assertThat(submits).hasSize(2);
            assertThat(odd.binds()).isEqualTo(1);
            other.stop();
        }
    }

    /** It says that it lives, and is believed. */
    @Test
    void endsASessionInWhichNoSubmitIsAnswered() throws Exception {
        try (OddOperator odd = new OddOperator((command, sequence, session) -> {
            if (command != SMPPConstant.CID_SUBMIT_SM) {
                OddOperator.answer(session, command | 0x80000000, sequence, OddOperator.NO_NAME);
            }
            return true;
        })) {
            endsASession(odd, SMS);
        }
    }

    /** Whatever it answers, no message goes out. */
    @Test
    void endsASessionInWhichOnlyWhatWasNotAskedIsAnswered() throws Exception {
        try (OddOperator odd = new OddOperator((command, sequence, session) -> {
            int number = command == SMPPConstant.CID_SUBMIT_SM ? sequence + 100_000 : sequence;
            OddOperator.answer(session, command | 0x80000000, number, OddOperator.NO_NAME);
            return true;
        })) {
            endsASession(odd, SMS);
        }
    }

    @Test
    void endsASessionInWhichNothingIsRead() throws Exception {
        Sms large = Sms.text(SMS.from(), SMS.to(), "x".repeat(60_000), false);
        try (OddOperator odd = new OddOperator((command, sequence, session) -> {
            OddOperator.answer(session, command | 0x80000000, sequence, OddOperator.NO_NAME);
            return false;
        })) {
            endsASession(odd, large);
        }
    }

    /** An operator that nacks the next submits, as many as are wanted. */
    private static OddOperator nacking(AtomicInteger nacks, int status) throws IOException {
        return new OddOperator((command, sequence, session) -> {
            if (command == SMPPConstant.CID_SUBMIT_SM && nacks.getAndDecrement() > 0) {
                OddOperator.nack(session, status, sequence);
            } else {
                OddOperator.answer(session, command | 0x80000000, sequence, OddOperator.NO_NAME);
            }
            return true;
        });
    }

    /** Whatever it is refused with, and only if the operator takes others in between. */
    @ParameterizedTest
    @ValueSource(ints = {SMPPConstant.CID_GENERIC_NACK, SMPPConstant.CID_SUBMIT_SM_RESP})
    void setsAsideAMessageThatIsRefusedAgainAndAgain(int command) throws Exception {
        EntryId poison = nextId();
        AtomicBoolean refuses = new AtomicBoolean();
        try (OddOperator odd = refusing(refuses, command, SMPPConstant.STAT_ESME_RSUBMITFAIL)) {
            OperatorLink other = started(odd);
            Await.until("a session", other::connected);
            for (int i = 0; i < 2 * Suspects.FAILURES_MAX; i++) {
                refuses.set(true);
                assertThatExceptionOfType(OperatorUnavailableException.class)
                        .isThrownBy(() -> other.submit(SMS, poison))
                        .withMessageContaining("0x00000045");
            }
            for (int i = 2; i <= Suspects.FAILURES_MAX; i++) {
                refuses.set(false);
                assertThat(other.submit(SMS, nextId())).isNotEmpty();
                refuses.set(true);
                assertThatExceptionOfType(
                                i == Suspects.FAILURES_MAX
                                        ? DeadLetterException.class
                                        : OperatorUnavailableException.class)
                        .isThrownBy(() -> other.submit(SMS, poison));
            }
            other.stop();
        }
    }

    private static OddOperator refusing(AtomicBoolean refuses, int command, int status) throws IOException {
        return new OddOperator((request, sequence, session) -> {
            if (request == SMPPConstant.CID_SUBMIT_SM && refuses.get()) {
                OddOperator.answer(session, command, status, sequence, new byte[0]);
            } else {
                OddOperator.answer(session, request | 0x80000000, sequence, OddOperator.NO_NAME);
            }
            return true;
        });
    }

    /** Each attempt may be one more message for who gets it, and takes a place in the window for as long as an answer may take. */
    @Test
    void setsAsideAMessageThatGetsNoAnswerAgainAndAgain() throws Exception {
        EntryId unheard = nextId();
        AtomicBoolean silent = new AtomicBoolean();
        try (OddOperator odd = new OddOperator((command, sequence, session) -> {
            if (command != SMPPConstant.CID_SUBMIT_SM || !silent.get()) {
                OddOperator.answer(session, command | 0x80000000, sequence, OddOperator.NO_NAME);
            }
            return true;
        })) {
            OperatorLink other = started(odd, Duration.ofSeconds(Await.SECONDS_MAX));
            Await.until("a session", other::connected);
            int attempts = 0;
            boolean dead = false;
            while (!dead && attempts < 10) {
                silent.set(true);
                attempts++;
                try {
                    other.submit(SMS, unheard);
                } catch (DeadLetterException e) {
                    dead = true;
                } catch (OperatorUnavailableException e) {
                    silent.set(false);
                    assertThat(other.submit(SMS, nextId())).isNotEmpty();
                }
            }

            assertThat(dead).isTrue();
            assertThat(attempts).isEqualTo(5);
            assertThat(odd.binds()).isEqualTo(1);
            other.stop();
        }
    }

    /** It is known which message a nack is for. Another that is under way may take as long as an answer may take. */
    @Test
    void aMessageThatIsNackedWaitsForNoOther() throws Exception {
        EntryId nacked = nextId();
        AtomicInteger nacks = new AtomicInteger(1);
        AtomicInteger waits = new AtomicInteger();
        try (OddOperator odd = new OddOperator((command, sequence, session) -> {
            if (command == SMPPConstant.CID_SUBMIT_SM && nacks.getAndDecrement() > 0) {
                OddOperator.nack(session, SMPPConstant.STAT_ESME_RINVCMDLEN, sequence);
                command = waits.get() == 0 ? 0 : SMPPConstant.CID_SUBMIT_SM;
                sequence = waits.getAndSet(0);
            } else if (command == SMPPConstant.CID_SUBMIT_SM) {
                waits.set(sequence);
                command = 0;
            }
            if (command != 0) {
                OddOperator.answer(session, command | 0x80000000, sequence, OddOperator.NO_NAME);
            }
            return true;
        })) {
            OperatorLink other = started(odd, Duration.ofSeconds(Await.SECONDS_MAX));
            Await.until("a session", other::connected);
            assertThatExceptionOfType(OperatorUnavailableException.class).isThrownBy(() -> other.submit(SMS, nacked));
            EntryId id = nextId();
            Future<String> underWay = threads.submit(() -> other.submit(SMS, id));
            Await.until("it to be under way", () -> waits.get() != 0);

            nacks.set(1);
            assertThatExceptionOfType(OperatorUnavailableException.class).isThrownBy(() -> other.submit(SMS, nacked));

            assertThat(underWay.get(Await.SECONDS_MAX, TimeUnit.SECONDS)).as("answered after the nack").isNotEmpty();
            other.stop();
        }
    }

    /** The operator answers. */
    @Test
    void keepsASessionInWhichSubmitsAreNacked() throws Exception {
        try (OddOperator odd = nacking(new AtomicInteger(Integer.MAX_VALUE), SMPPConstant.STAT_ESME_RINVCMDLEN)) {
            OperatorLink other = started(odd);
            Await.until("a session", other::connected);
            EntryId id = nextId();
            long begin = System.nanoTime();

            while (System.nanoTime() - begin < 3 * ENQUIRE_LINK.toNanos()) {
                assertThatExceptionOfType(OperatorUnavailableException.class).isThrownBy(() -> other.submit(SMS, id));
            }

            assertThat(odd.binds()).isEqualTo(1);
            other.stop();
        }
    }

    /** All messages are, and none is given up. */
    @Test
    void givesNothingUpThatIsThrottledWithANack() throws Exception {
        AtomicInteger nacks = new AtomicInteger(2 * Suspects.FAILURES_MAX);
        try (OddOperator odd = nacking(nacks, SMPPConstant.STAT_ESME_RTHROTTLED)) {
            OperatorLink other = started(odd);
            Await.until("a session", other::connected);
            EntryId id = nextId();

            while (nacks.get() > 0) {
                assertThatExceptionOfType(OperatorUnavailableException.class).isThrownBy(() -> other.submit(SMS, id));
            }

            assertThat(other.submit(SMS, id)).isNotEmpty();
            other.stop();
        }
    }

    private void endsASession(OddOperator odd, Sms sms) {
        OperatorLink other = started(odd);
        for (int i = 0; i < WINDOW; i++) {
            EntryId id = nextId();
            var unused = threads.submit(() -> {
                while (true) {
                    try {
                        return other.submit(sms, id);
                    } catch (OperatorUnavailableException e) {
                        Await.until("a session", other::connected);
                    }
                }
            });
        }

        Await.until("another session", () -> odd.binds() > 1);
        other.stop();
    }

    /** Each of them costs a line of the log. */
    @Test
    void pausesGrowWhileSessionsEndAtOnce() throws Exception {
        AtomicReference<OperatorLink> at = new AtomicReference<>();
        try (OddOperator odd = new OddOperator((command, sequence, session) -> {
            OddOperator.answer(session, command | 0x80000000, sequence, OddOperator.NO_NAME);
            Await.until(
                    "the session to be in use",
                    () -> at.get() != null && at.get().connected());
            session.close();
            return false;
        })) {
            at.set(started(odd));
            Await.until("a bind", () -> odd.binds() > 0);
            long begin = System.nanoTime();

            Await.until("nine more binds", () -> odd.binds() > 9);
            at.get().stop();

            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .as("10 + 20 + 40 + ... + 2560 ms, less what the first took to be seen")
                    .isGreaterThan(Duration.ofMillis(4500));
        }
    }
}
