package io.georep.examples.sms.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.examples.sms.Await;
import io.georep.examples.sms.SmsProperties;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jsmpp.session.SMPPSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Messages to other operators need calls of the forwarder, too. */
final class OperatorGateTest {
    private static final long SLOW = TimeUnit.SECONDS.toNanos(2);
    private static final long QUICK = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final int SHARE = 2;

    private final SMPPSession session = new SMPPSession();
    private final OperatorGate gate = new OperatorGate(
            OperatorLinkTest.properties(
                    1,
                    Duration.ofSeconds(Await.SECONDS_MAX),
                    Duration.ofMinutes(1),
                    OperatorLinkTest.ENQUIRE_LINK,
                    OperatorLinkTest.RESPONSE_TIMEOUT),
            SHARE);

    @BeforeEach
    void bind() {
        gate.session(session);
    }

    private void submit(long nanos) throws Exception {
        gate.leave(gate.enter(false), false, nanos);
    }

    /** How many are let in, of one more than the share. */
    private int entered() throws Exception {
        int entered = 0;
        try {
            while (entered <= SHARE) {
                gate.enter(false);
                entered++;
            }
        } catch (OperatorUnavailableException e) {
            assertThat(e).hasMessageContaining("is slow, and others wait");
        }
        for (int i = 0; i < entered; i++) {
            gate.leave(session, false, SLOW);
        }
        return entered;
    }

    /** It would have all of them again after each. */
    @Test
    void aQuickAnswerNowAndThenDoesNotGiveASlowOperatorMoreThanItsShare() throws Exception {
        submit(SLOW);
        submit(QUICK);
        assertThat(entered()).isEqualTo(SHARE);
        for (int i = 0; i < 100; i++) {
            submit(i % 4 == 0 ? SLOW : QUICK);
        }
        assertThat(entered()).isEqualTo(SHARE);
    }

    @Test
    void anOperatorThatIsQuickAgainHasAll() throws Exception {
        submit(SLOW);
        for (int i = 0; i < 20; i++) {
            submit(QUICK);
        }

        assertThat(entered()).isGreaterThan(SHARE);
    }

    /** They were told nothing, and only quickly. */
    @Test
    void theEndOfASessionIsNoQuickAnswer() throws Exception {
        submit(SLOW);
        for (int i = 0; i < 20; i++) {
            SMPPSession before = gate.enter(false);
            gate.ended(before);
            assertThat(gate.connected()).isFalse();
            gate.session(new SMPPSession());
            gate.leave(before, false, QUICK);
        }
        gate.session(session);

        assertThat(entered()).isEqualTo(SHARE);
    }

    /** Each that is to be alone may take as long as the operator may take for an answer: one other in between is far too few. */
    @Test
    void allOthersThatWaitGoBeforeTheNextThatIsToBeAlone() throws Exception {
        gate.enter(true);
        CountDownLatch entered = new CountDownLatch(OperatorLinkTest.WINDOW);
        for (int i = 0; i < OperatorLinkTest.WINDOW; i++) {
            waits(() -> {
                gate.enter(false);
                entered.countDown();
            });
        }
        CountDownLatch alone = new CountDownLatch(1);
        waits(() -> {
            gate.enter(true);
            alone.countDown();
        });

        gate.leave(session, true, QUICK);
        assertThat(entered.await(Await.SECONDS_MAX / 2, TimeUnit.SECONDS)).isTrue();
        Thread late = waits(() -> gate.enter(false));
        for (int i = 0; i < OperatorLinkTest.WINDOW; i++) {
            assertThat(alone.getCount()).isEqualTo(1);
            gate.leave(session, false, QUICK);
        }

        assertThat(alone.await(Await.SECONDS_MAX / 2, TimeUnit.SECONDS))
                .as("it is its turn")
                .isTrue();
        gate.leave(session, true, QUICK);
        late.join(TimeUnit.SECONDS.toMillis(Await.SECONDS_MAX));
        assertThat(late.isAlive()).isFalse();
    }

    private interface Call {
        void run() throws Exception;
    }

    /** Makes a call that waits for its turn now. */
    private static Thread waits(Call call) {
        Thread thread = new Thread(() -> {
            try {
                call.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        Await.until("it to wait", () -> thread.getState() == Thread.State.TIMED_WAITING);
        return thread;
    }

    /** Others would wait for messages to one number that is throttled. */
    @Test
    void pausesStayShortWhileTheOperatorTakesMessages() throws Exception {
        OperatorGate patient = new OperatorGate(
                new SmsProperties.Operator(
                        "localhost",
                        1,
                        "gateway",
                        "secret",
                        1,
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1),
                        Duration.ofMillis(1),
                        Duration.ofDays(1),
                        Duration.ofSeconds(Await.SECONDS_MAX)),
                SHARE);
        patient.session(session);
        for (int i = 0; i < 30; i++) {
            patient.throttled();
            patient.accepted();

            patient.leave(patient.enter(false), false, QUICK);
        }
        assertThat(patient.connected()).as("none of them took a day").isTrue();
    }
}
