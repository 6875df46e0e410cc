package io.georep.examples.sms.operator;

import static io.georep.examples.sms.operator.OperatorLinkTest.ENQUIRE_LINK;
import static io.georep.examples.sms.operator.OperatorLinkTest.RESPONSE_TIMEOUT;
import static io.georep.examples.sms.operator.OperatorLinkTest.SMS;
import static io.georep.examples.sms.operator.OperatorLinkTest.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.georep.examples.sms.Await;
import io.georep.examples.sms.Sms;
import io.georep.examples.sms.SmsProperties;
import io.georep.model.EntryId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jsmpp.SMPPConstant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Links to operators that answer what nobody expects, or nothing. */
final class OddAnswersTest extends LinkFixture {
    private static final String ID_OF_64 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    private OperatorLink started(OddOperator odd) {
        return started(odd, ENQUIRE_LINK, RESPONSE_TIMEOUT);
    }

    private OperatorLink connected(OddOperator odd) {
        return connected(odd, ENQUIRE_LINK, RESPONSE_TIMEOUT);
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
            OperatorLink other = connected(odd);

            other.stop();
        }
    }

    /** There would be one more connection after each attempt. */
    @Test
    void aBindThatCannotBeSentLeavesNoConnection() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Duration time = Duration.ofSeconds(Await.SECONDS_MAX);
            SmsProperties.Operator tooLong = new SmsProperties.Operator(
                    "localhost",
                    server.getLocalPort(),
                    "gateway",
                    "longer than 8 characters",
                    WINDOW,
                    time,
                    time,
                    time,
                    time,
                    time,
                    time,
                    time,
                    time);

            assertThatIOException()
                    .isThrownBy(() -> OperatorSession.open(
                            tooLong, sms -> null, new Answers(WINDOW).new Session(), Runnable::run));

            try (Socket connection = server.accept()) {
                connection.setSoTimeout((int) time.toMillis());
                assertThat(connection.getInputStream().read()).isEqualTo(-1);
            }
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
            OperatorLink other = connected(odd);

            String taken = other.submit(SMS, nextId());

            String told = id.replaceAll("\0.*", "");
            assertThat(taken).isEqualTo("other/" + told.substring(0, Math.min(64, told.length())));
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
            OperatorLink other = connected(odd, RESPONSE_TIMEOUT);
            assertThatExceptionOfType(OperatorUnavailableException.class).isThrownBy(() -> other.submit(SMS, nacked));
            EntryId id = nextId();
            Future<String> underWay = threads.submit(() -> other.submit(SMS, id));
            Await.until("it to be under way", () -> waits.get() != 0);

            nacks.set(1);
            assertThatExceptionOfType(OperatorUnavailableException.class).isThrownBy(() -> other.submit(SMS, nacked));

            assertThat(underWay.get(Await.SECONDS_MAX, TimeUnit.SECONDS))
                    .as("answered after the nack")
                    .isNotEmpty();
            other.stop();
        }
    }

    /** The operator answers. */
    @Test
    void keepsASessionInWhichSubmitsAreNacked() throws Exception {
        try (OddOperator odd = nacking(new AtomicInteger(Integer.MAX_VALUE), SMPPConstant.STAT_ESME_RINVCMDLEN)) {
            OperatorLink other = connected(odd);
            EntryId id = nextId();
            long begin = System.nanoTime();

            while (System.nanoTime() - begin < 3 * ENQUIRE_LINK.toNanos()) {
                assertThatExceptionOfType(OperatorUnavailableException.class).isThrownBy(() -> other.submit(SMS, id));
            }

            assertThat(odd.binds()).isEqualTo(1);
            other.stop();
        }
    }

    /** All calls of the forwarder may wait in it, those for other operators as well. */
    @Test
    void theEndOfASessionIsTheEndOfWaitingForItsAnswers() throws Exception {
        CountDownLatch submits = new CountDownLatch(WINDOW);
        try (OddOperator odd = new OddOperator((command, sequence, session) -> {
            if (command == SMPPConstant.CID_SUBMIT_SM) {
                submits.countDown();
                return submits.getCount() > 0 || ends(session);
            }
            OddOperator.answer(session, command | 0x80000000, sequence, OddOperator.NO_NAME);
            return true;
        })) {
            OperatorLink other = connected(odd, Duration.ofHours(1));
            List<Future<String>> under = new ArrayList<>();
            for (int i = 0; i < WINDOW; i++) {
                EntryId id = nextId();
                under.add(threads.submit(() -> other.submit(SMS, id)));
            }

            for (Future<String> each : under) {
                assertThatExceptionOfType(ExecutionException.class)
                        .isThrownBy(() -> each.get(Await.SECONDS_MAX, TimeUnit.SECONDS))
                        .withCauseInstanceOf(OperatorUnavailableException.class)
                        .withMessageContaining("no answer");
            }
            other.stop();
        }
    }

    /** It was read before the end. */
    @ParameterizedTest
    @ValueSource(ints = {SMPPConstant.CID_GENERIC_NACK, SMPPConstant.CID_SUBMIT_SM_RESP})
    void aRefusalCountsThatIsFollowedByTheEndOfTheSession(int refusal) throws Exception {
        try (OddOperator odd = new OddOperator((command, sequence, session) -> {
            if (command == SMPPConstant.CID_SUBMIT_SM) {
                OddOperator.answer(session, refusal, SMPPConstant.STAT_ESME_RSUBMITFAIL, sequence, new byte[0]);
                return ends(session);
            }
            OddOperator.answer(session, command | 0x80000000, sequence, OddOperator.NO_NAME);
            return true;
        })) {
            OperatorLink other = connected(odd, Duration.ofHours(1));
            EntryId id = nextId();

            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(
                            () -> threads.submit(() -> other.submit(SMS, id)).get(Await.SECONDS_MAX, TimeUnit.SECONDS))
                    .withCauseInstanceOf(OperatorUnavailableException.class)
                    .withMessageContaining("0x00000045");
            other.stop();
        }
    }

    private static boolean ends(Socket session) throws IOException {
        session.close();
        return false;
    }

    /** All messages are, and none is given up. */
    @Test
    void givesNothingUpThatIsThrottledWithANack() throws Exception {
        AtomicInteger nacks = new AtomicInteger(2 * Suspects.REFUSALS_MAX);
        try (OddOperator odd = nacking(nacks, SMPPConstant.STAT_ESME_RTHROTTLED)) {
            OperatorLink other = connected(odd);
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
