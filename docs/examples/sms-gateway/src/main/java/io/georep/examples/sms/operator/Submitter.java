package io.georep.examples.sms.operator;

import io.georep.examples.sms.Sms;
import io.georep.examples.sms.receipts.Receipt;
import io.georep.model.EntryId;
import io.georep.spring.DeadLetterException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.time.Instant;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jsmpp.InvalidResponseException;
import org.jsmpp.PDUException;
import org.jsmpp.SMPPConstant;
import org.jsmpp.extra.NegativeResponseException;
import org.jsmpp.extra.ResponseTimeoutException;
import org.jsmpp.session.SMPPSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Submits messages to an operator and judges its answers. Thread-safe. */
final class Submitter {
    private static final Logger LOG = LoggerFactory.getLogger(Submitter.class);

    /** Status codes that would be the same at each repetition. */
    private static final Set<Integer> HOPELESS = Set.of(
            SMPPConstant.STAT_ESME_RINVPRTFLG,
            SMPPConstant.STAT_ESME_RINVREGDLVFLG,
            SMPPConstant.STAT_ESME_RINVSRCTON,
            SMPPConstant.STAT_ESME_RINVSRCNPI,
            SMPPConstant.STAT_ESME_RINVMSGLEN,
            SMPPConstant.STAT_ESME_RINVSRCADR,
            SMPPConstant.STAT_ESME_RINVDSTADR,
            SMPPConstant.STAT_ESME_RINVDSTTON,
            SMPPConstant.STAT_ESME_RINVDSTNPI,
            SMPPConstant.STAT_ESME_RINVSERTYP,
            SMPPConstant.STAT_ESME_RINVESMCLASS,
            SMPPConstant.STAT_ESME_RINVDCS,
            SMPPConstant.STAT_ESME_RINVSCHED,
            SMPPConstant.STAT_ESME_RINVEXPIRY,
            // Optional parameters that are malformed, not allowed, of a wrong length, missing, or of an invalid value.
            0x000000c0,
            0x000000c1,
            0x000000c2,
            0x000000c3,
            0x000000c4);

    private static final String OFTEN = ", as again and again before, and it took others in between";

    private static final Set<Integer> FOR_NOW =
            Set.of(SMPPConstant.STAT_ESME_RTHROTTLED, SMPPConstant.STAT_ESME_RMSGQFUL);

    private final String name;
    private final OperatorGate gate;
    private final Answers answers;
    private final Suspects suspects;
    private final FullNumbers fullNumbers = new FullNumbers();
    private final Counter throttles;
    private final LongSupplier nanos;

    /**
     * Submits through a gate.
     *
     * @param name of the operator, for the metrics and the ids of its messages
     */
    Submitter(String name, OperatorGate gate, Answers answers, MeterRegistry meters, LongSupplier nanos) {
        this.name = name;
        this.gate = gate;
        this.answers = answers;
        this.nanos = nanos;
        suspects = new Suspects(answers);
        throttles = Counter.builder("sms.operator.throttled")
                .description("Submits the operator throttled")
                .tag("operator", name)
                .register(meters);
    }

    /**
     * Submits a message and waits for the operator's answer. After the operator throttled, all submits pause.
     *
     * @return the operator's message id, with the name of the operator before it unless it is the first one
     * @throws OperatorUnavailableException when another attempt later may succeed
     * @throws DeadLetterException when the operator will never take this message
     * @throws ExpiredException when the validity of the message is over
     */
    String submit(Sms sms, EntryId id) throws InterruptedException {
        String late = late(sms, id);
        if (late != null) {
            return late;
        }
        if (suspects.isGivenUp(id)) {
            throw new DeadLetterException("message " + id + " did not get through" + OFTEN);
        }
        requireValid(sms, id);
        requireRoom(!fullNumbers.isFull(sms.to().digits(), nanos.getAsLong()));
        boolean alone = suspects.contains(id);
        SMPPSession session = gate.enter(alone);
        long begin = System.nanoTime();
        try {
            // Checked again, because this call may have waited.
            late = late(sms, id);
            if (late != null) {
                return late;
            }
            requireValid(sms, id);
            requireRoom(fullNumbers.mayTry(sms.to().digits(), nanos.getAsLong()));
            String messageId = OperatorSession.submit(session, sms, id);
            answers.take(id);
            LOG.debug("Message {} is {} to the operator", id, messageId);
            return taken(sms, id, messageId);
        } catch (PDUException e) {
            throw new DeadLetterException("SMPP cannot carry message " + id + ": " + e.getMessage(), e);
        } catch (NegativeResponseException | ResponseTimeoutException | InvalidResponseException | IOException e) {
            // If any attempt was answered meanwhile, its answer counts.
            late = late(sms, id);
            if (late != null) {
                return late;
            }
            throw unanswered(session, alone, id, e);
        } finally {
            gate.leave(session, alone, System.nanoTime() - begin);
        }
    }

    /** Forgets a message that has come to an end, so that a replay starts without a history. */
    void forget(EntryId id) {
        suspects.forget(id);
    }

    private static void requireRoom(boolean room) {
        if (!room) {
            throw new OperatorUnavailableException("the operator takes no more messages to this number now", null);
        }
    }

    /**
     * Acts on an answer to an earlier attempt that came late. Returns the message id if the operator took the message; null if
     * there is no answer.
     */
    private @Nullable String late(Sms sms, EntryId id) {
        Answers.Answer late = answers.take(id);
        if (late == null) {
            return null;
        }
        if (late.status() != 0) {
            throw refused(late, sms, id);
        }
        return taken(sms, id, late.messageId());
    }

    /** Returns what to throw for a message without an answer. */
    private RuntimeException unanswered(SMPPSession session, boolean alone, EntryId id, Exception cause) {
        String text = "no answer to message " + id + ", which the operator may have: ";
        if (session.getSessionState().isBound()) {
            answers.missing();
            text += cause.getMessage();
            return suspects.unanswered(id, nanos.getAsLong())
                    ? new DeadLetterException(text + OFTEN, cause)
                    : new OperatorUnavailableException(text, cause);
        }
        gate.ended(session);
        return suspects.broke(id, alone)
                ? new DeadLetterException("the session with the operator broke " + Suspects.BREAKS_MAX
                        + " times when message " + id + " was the only one under way, and took others in between")
                : new OperatorUnavailableException(text + "the session ended", cause);
    }

    /** The operator has this message; returns its id. */
    private String taken(Sms sms, EntryId id, String messageId) {
        gate.accepted();
        fullNumbers.accepted(sms.to().digits());
        suspects.taken(id);
        return idOf(name, messageId);
    }

    /** Different operators may use the same ids. */
    private static String idOf(String operator, String messageId) {
        return Receipt.idOf(operator.equals(Operators.FIRST) ? "" : operator, messageId);
    }

    /**
     * Checks that a message is still worth sending.
     *
     * @throws ExpiredException when its validity is over
     */
    static void requireValid(Sms sms, EntryId id) {
        Instant expiry = sms.expiry();
        if (expiry != null && !Instant.now().isBefore(expiry)) {
            throw new ExpiredException("the validity of message " + id + " is over");
        }
    }

    /**
     * Returns what to throw for a refusal. A message that is refused for now is tried again later and leaves its call to
     * others.
     */
    private RuntimeException refused(Answers.Answer answer, Sms sms, EntryId id) {
        int status = answer.status();
        String text = String.format("the operator refused message %s with status 0x%08x", id, status);
        if (status == SMPPConstant.STAT_ESME_RTHROTTLED) {
            throttles.increment();
            gate.throttled();
        } else if (status == SMPPConstant.STAT_ESME_RMSGQFUL) {
            fullNumbers.full(sms.to().digits(), nanos.getAsLong());
        }
        boolean hopeless = HOPELESS.contains(status);
        if (hopeless || FOR_NOW.contains(status)) {
            suspects.answered(id, answer);
            return hopeless ? new DeadLetterException(text) : new OperatorUnavailableException(text, null);
        }
        return suspects.refused(id, answer, nanos.getAsLong())
                ? new DeadLetterException(text + OFTEN)
                : new OperatorUnavailableException(text, null);
    }
}
