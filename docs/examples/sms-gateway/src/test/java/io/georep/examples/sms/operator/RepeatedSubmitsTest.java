package io.georep.examples.sms.operator;

import static io.georep.examples.sms.operator.OperatorLinkTest.RESPONSE_TIMEOUT;
import static io.georep.examples.sms.operator.OperatorLinkTest.SMS;
import static io.georep.examples.sms.operator.OperatorLinkTest.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.georep.examples.sms.Await;
import io.georep.examples.sms.Sms;
import io.georep.model.EntryId;
import io.georep.spring.DeadLetterException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jsmpp.SMPPConstant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that are submitted again and again: answered late, refused, or not answered at all. */
final class RepeatedSubmitsTest extends LinkFixture {
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final byte[] ID = {'1', 0};

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
            OperatorLink other = connected(odd, RESPONSE_TIMEOUT);
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

    /** Whatever it is refused with, and only if the operator takes others in between, for an hour. */
    @ParameterizedTest
    @ValueSource(ints = {SMPPConstant.CID_GENERIC_NACK, SMPPConstant.CID_SUBMIT_SM_RESP})
    void setsAsideAMessageThatIsRefusedAgainAndAgain(int command) throws Exception {
        EntryId poison = nextId();
        AtomicBoolean refuses = new AtomicBoolean();
        try (OddOperator odd = refusing(refuses, command, SMPPConstant.STAT_ESME_RSUBMITFAIL)) {
            OperatorLink other = connected(odd, RESPONSE_TIMEOUT);
            for (int i = 0; i < 2 * Suspects.REFUSALS_MAX; i++) {
                refuses.set(true);
                assertThatExceptionOfType(OperatorUnavailableException.class)
                        .isThrownBy(() -> other.submit(SMS, poison))
                        .withMessageContaining("0x00000045");
            }
            for (int i = 0; i < 2 * Suspects.REFUSALS_MAX; i++) {
                takesAnotherAndRefuses(other, refuses, OperatorUnavailableException.class, poison);
            }
            ahead.set(Suspects.REFUSED_NANOS);
            EntryId others = nextId();
            for (int i = 1; i < Suspects.REFUSALS_MAX; i++) {
                takesAnotherAndRefuses(other, refuses, OperatorUnavailableException.class, others);
            }
            takesAnotherAndRefuses(other, refuses, DeadLetterException.class, poison);

            refuses.set(false);
            assertThatExceptionOfType(DeadLetterException.class)
                    .as("the receipt may have got no copy")
                    .isThrownBy(() -> other.submit(SMS, poison));
            other.forget(poison);
            assertThat(other.submit(SMS, poison)).as("replayed").isNotEmpty();
            other.stop();
        }
    }

    private void takesAnotherAndRefuses(
            OperatorLink link, AtomicBoolean refuses, Class<? extends Exception> with, EntryId id) throws Exception {
        refuses.set(false);
        assertThat(link.submit(SMS, nextId())).isNotEmpty();
        refuses.set(true);
        assertThatExceptionOfType(with).isThrownBy(() -> link.submit(SMS, id));
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
            OperatorLink other = connected(odd, RESPONSE_TIMEOUT);
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

    /** A queue stands before it: in between it takes only those that were there before, and it takes this one, too. */
    @Test
    void setsNothingAsideThatWaitsInTheOperatorsQueue() throws Exception {
        int queued = 3 * WINDOW;
        List<Integer> submits = new CopyOnWriteArrayList<>();
        try (OddOperator odd = new OddOperator((command, sequence, session) -> {
            if (command != SMPPConstant.CID_SUBMIT_SM) {
                OddOperator.answer(session, command | 0x80000000, sequence, OddOperator.NO_NAME);
                return true;
            }
            submits.add(sequence);
            if (submits.size() > queued) {
                int first = submits.get(submits.size() - 1 - queued);
                OddOperator.answer(session, SMPPConstant.CID_SUBMIT_SM_RESP, first, ID);
            }
            return true;
        })) {
            OperatorLink other = connected(odd, SHORT);
            List<EntryId> before = new ArrayList<>();
            for (int i = 0; i < queued; i++) {
                before.add(nextId());
                unanswered(other, before.get(i));
            }
            EntryId message = nextId();
            for (int i = 0; i < queued; i += 2) {
                unanswered(other, message);
                unanswered(other, nextId());
                awaitLate(other, before.get(i));
                awaitLate(other, before.get(i + 1));
            }
            unanswered(other, nextId());

            awaitLate(other, message);
            other.stop();
        }
    }

    /** The operator has answered, and nobody has got the message: it is no reason to give it up. */
    @ParameterizedTest
    @CsvSource({
        SMPPConstant.CID_SUBMIT_SM_RESP + "," + SMPPConstant.STAT_ESME_RSUBMITFAIL,
        SMPPConstant.CID_SUBMIT_SM_RESP + "," + SMPPConstant.STAT_ESME_RTHROTTLED,
        SMPPConstant.CID_GENERIC_NACK + "," + SMPPConstant.STAT_ESME_RSUBMITFAIL
    })
    void setsNothingAsideThatIsRefusedTooLate(int command, int status) throws Exception {
        AtomicBoolean slow = new AtomicBoolean();
        List<Integer> submits = new CopyOnWriteArrayList<>();
        try (OddOperator odd = new OddOperator((request, sequence, session) -> {
            if (request == SMPPConstant.CID_SUBMIT_SM && slow.get()) {
                submits.add(sequence);
                return true;
            }
            if (request == SMPPConstant.CID_SUBMIT_SM) {
                int late = submits.get(submits.size() - 1);
                OddOperator.answer(session, command, status, late, new byte[0]);
            }
            OddOperator.answer(session, request | 0x80000000, sequence, ID);
            return true;
        })) {
            OperatorLink other = connected(odd, SHORT);
            EntryId message = nextId();
            for (int i = 0; i < 2 * Suspects.SILENCES_MAX; i++) {
                slow.set(true);
                unanswered(other, message);
                slow.set(false);
                takesAnother(other);
                assertThatExceptionOfType(OperatorUnavailableException.class)
                        .isThrownBy(() -> other.submit(SMS, message))
                        .withMessageContaining(String.format("0x%08x", status));
                takesAnother(other);
            }
            other.stop();
        }
    }

    /** Perhaps late. */
    private void takesAnother(OperatorLink link) throws InterruptedException {
        EntryId id = nextId();
        try {
            assertThat(link.submit(SMS, id)).isEqualTo("other/1");
        } catch (OperatorUnavailableException e) {
            awaitLate(link, id);
        }
    }

    private static void unanswered(OperatorLink link, EntryId id) {
        assertThatExceptionOfType(OperatorUnavailableException.class)
                .isThrownBy(() -> link.submit(SMS, id))
                .withMessageContaining("no answer");
    }

    /** Without another submit: its validity is over. */
    private static void awaitLate(OperatorLink link, EntryId id) {
        Await.until("an answer to " + id, () -> {
            try {
                return link.submit(EXPIRED, id).equals("other/1");
            } catch (ExpiredException e) {
                return false;
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** The operator has taken the message, whatever it says about the copy. */
    @ParameterizedTest
    @CsvSource({
        SMPPConstant.CID_SUBMIT_SM_RESP + "," + SMPPConstant.STAT_ESME_RTHROTTLED,
        SMPPConstant.CID_SUBMIT_SM_RESP + "," + SMPPConstant.STAT_ESME_RINVDSTADR,
        SMPPConstant.CID_GENERIC_NACK + "," + SMPPConstant.STAT_ESME_RTHROTTLED,
        "0,0"
    })
    void takesAnAnswerThatComesDuringTheNextAttempt(int command, int status) throws Exception {
        List<Integer> submits = new CopyOnWriteArrayList<>();
        try (OddOperator odd = new OddOperator((request, sequence, session) -> {
            if (request != SMPPConstant.CID_SUBMIT_SM) {
                OddOperator.answer(session, request | 0x80000000, sequence, OddOperator.NO_NAME);
                return true;
            }
            submits.add(sequence);
            if (submits.size() > 1) {
                OddOperator.answer(session, SMPPConstant.CID_SUBMIT_SM_RESP, submits.get(0), ID);
                if (command != 0) {
                    OddOperator.answer(session, command, status, sequence, new byte[0]);
                }
            }
            return true;
        })) {
            OperatorLink other = connected(odd, RESPONSE_TIMEOUT);
            EntryId id = nextId();
            unanswered(other, id);

            assertThat(other.submit(SMS, id)).isEqualTo("other/1");

            assertThat(submits).hasSize(2);
            other.stop();
        }
    }
}
