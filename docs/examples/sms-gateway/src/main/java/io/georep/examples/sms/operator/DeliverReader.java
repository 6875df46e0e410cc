package io.georep.examples.sms.operator;

import io.georep.examples.sms.MessageId;
import io.georep.examples.sms.Sms;
import io.georep.examples.sms.smpp.Responses;
import io.georep.examples.sms.smpp.SubmitDecoder;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jsmpp.DefaultPDUReader;
import org.jsmpp.InvalidCommandLengthException;
import org.jsmpp.SMPPConstant;
import org.jsmpp.bean.Command;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads PDUs of the operator. Every answer to a submit reaches its waiter: jSMPP would lose an answer that it cannot decode,
 * one just before the end of the session, and a nack that comes at once. A deliver_sm is answered when its content is on disk
 * at f+1 sites. No thread waits for that: in a session of jSMPP it would hold up the answers to submits. The operator repeats a
 * deliver_sm that was refused.
 */
final class DeliverReader extends DefaultPDUReader {
    private static final Logger LOG = LoggerFactory.getLogger(DeliverReader.class);
    private static final int LENGTH_MAX = 66 * 1024;
    private static final int HEADER_BYTES = 16;

    /** Takes answers to submits. */
    @FunctionalInterface
    interface Submits {
        /** Returns whether this is the number of a submit without an answer. */
        boolean answered(int sequenceNumber, int status, String messageId);
    }

    private final Function<Sms, @Nullable CompletionStage<?>> intake;
    private volatile Submits submits = (sequenceNumber, status, messageId) -> false;
    private volatile @Nullable Responses responses;
    private byte[] pdu = {};

    /**
     * Reads for a session.
     *
     * @param intake takes a deliver_sm; returns null when nobody here wants it
     */
    DeliverReader(Function<Sms, @Nullable CompletionStage<?>> intake) {
        this.intake = intake;
    }

    /** Sets who takes answers to submits; to be called before anything is read. */
    void submits(Submits to) {
        submits = to;
    }

    /** Sets where answers to deliver_sm go; to be called before anything is read. */
    void responses(Responses of) {
        responses = of;
    }

    @Override
    public Command readPDUHeader(DataInputStream in) throws InvalidCommandLengthException, IOException {
        try {
            return next(in);
        } catch (Error e) {
            // It would end the session's thread, and leave the session bound.
            throw new IOException("cannot be read: " + e, e);
        }
    }

    private Command next(DataInputStream in) throws InvalidCommandLengthException, IOException {
        Command header;
        do {
            header = bounded(super.readPDUHeader(in));
            pdu = super.readPDU(in, header);
        } while (isTaken(header));
        return header;
    }

    /** Takes a PDU that jSMPP need not see. */
    private boolean isTaken(Command header) throws IOException {
        int number = header.getSequenceNumber();
        int status = header.getCommandStatus();
        switch (header.getCommandId()) {
            case SMPPConstant.CID_DELIVER_SM -> deliver(number, pdu);
            case SMPPConstant.CID_SUBMIT_SM_RESP -> submits.answered(number, status, messageId());
            case SMPPConstant.CID_GENERIC_NACK -> {
                return submits.answered(number, status == 0 ? SMPPConstant.STAT_ESME_RUNKNOWNERR : status, "");
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    @Override
    public byte[] readPDU(DataInputStream in, Command header) {
        return pdu;
    }

    /** A message id of a length that SMPP allows. */
    private String messageId() {
        int end = HEADER_BYTES;
        while (end < Math.min(pdu.length, HEADER_BYTES + MessageId.LENGTH_MAX) && pdu[end] != 0) {
            end++;
        }
        return new String(pdu, HEADER_BYTES, end - HEADER_BYTES, StandardCharsets.US_ASCII);
    }

    private static Command bounded(Command header) throws InvalidCommandLengthException {
        if (header.getCommandLength() > LENGTH_MAX) {
            throw new InvalidCommandLengthException(
                    "command_length is " + header.getCommandLength() + ", at most " + LENGTH_MAX);
        }
        return header;
    }

    private void deliver(int sequenceNumber, byte[] pdu) throws IOException {
        Responses answers = responses;
        if (answers == null) {
            throw new IOException("a deliver_sm before the session");
        }
        Sms deliver;
        try {
            deliver = SubmitDecoder.delivered(pdu);
        } catch (BufferUnderflowException e) {
            answers.refuse(sequenceNumber, SMPPConstant.STAT_ESME_RINVCMDLEN);
            return;
        }
        if (answers.begin()) {
            begin(answers, sequenceNumber, deliver);
        } else {
            answers.refuse(sequenceNumber, SMPPConstant.STAT_ESME_RX_T_APPN);
        }
    }

    private void begin(Responses answers, int sequenceNumber, Sms deliver) {
        CompletionStage<?> taken;
        try {
            taken = intake.apply(deliver);
        } catch (RuntimeException e) {
            LOG.warn("A receipt was not taken: the operator may send it again", e);
            answers.answer(sequenceNumber, "", SMPPConstant.STAT_ESME_RX_T_APPN);
            return;
        }
        if (taken == null) {
            answers.answer(sequenceNumber, "", SMPPConstant.STAT_ESME_RX_R_APPN);
            return;
        }
        taken.whenComplete((id, error) -> {
            if (error != null) {
                LOG.debug("A receipt was not taken: {}", error.toString());
            }
            answers.answer(
                    sequenceNumber, "", error == null ? SMPPConstant.STAT_ESME_ROK : SMPPConstant.STAT_ESME_RX_T_APPN);
        });
    }
}
