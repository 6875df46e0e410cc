package io.georep.examples.sms.operator;

import io.georep.examples.sms.MessageId;
import io.georep.examples.sms.Sms;
import io.georep.examples.sms.smpp.Responses;
import io.georep.examples.sms.smpp.SmppStatusException;
import io.georep.examples.sms.smpp.SubmitDecoder;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
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
 * Reads PDUs of the operator. A deliver_sm is answered when what it says is on disk at f+1 sites, without a thread waiting
 * for it: in a session of jSMPP it would hold up the answers to submits meanwhile. The operator sends one again that was not
 * taken.
 */
final class DeliverReader extends DefaultPDUReader {
    private static final Logger LOG = LoggerFactory.getLogger(DeliverReader.class);
    private static final int LENGTH_MAX = 66 * 1024;
    private static final int HEADER_BYTES = 16;

    private final Function<Sms, @Nullable CompletionStage<?>> intake;
    private final Answers.Session submits;
    private volatile @Nullable Responses responses;

    /**
     * Reads for a session.
     *
     * @param intake takes a deliver_sm; returns null when nobody here wants it
     * @param submits takes answers to submits
     */
    DeliverReader(Function<Sms, @Nullable CompletionStage<?>> intake, Answers.Session submits) {
        this.intake = intake;
        this.submits = submits;
    }

    /** Sets what answers, before anything is read. */
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
        Command header = bounded(super.readPDUHeader(in));
        while (header.getCommandId() == SMPPConstant.CID_DELIVER_SM) {
            deliver(header.getSequenceNumber(), super.readPDU(in, header));
            header = bounded(super.readPDUHeader(in));
        }
        return header;
    }

    /**
     * An answer to a submit always gets to whoever waits for it. One that jSMPP cannot decode it would drop, and the message,
     * which the operator has taken, would be submitted again and again. A nack that comes at once jSMPP gives to nobody.
     */
    @Override
    public byte[] readPDU(DataInputStream in, Command header) throws IOException {
        byte[] pdu = super.readPDU(in, header);
        if (header.getCommandId() == SMPPConstant.CID_SUBMIT_SM_RESP) {
            byte[] id = plainId(pdu);
            submits.answered(
                    header.getSequenceNumber(), header.getCommandStatus(), new String(id, StandardCharsets.US_ASCII));
            return response(header, id);
        }
        if (header.getCommandId() == SMPPConstant.CID_GENERIC_NACK) {
            int status = header.getCommandStatus() == 0 ? SMPPConstant.STAT_ESME_RUNKNOWNERR : header.getCommandStatus();
            if (submits.answered(header.getSequenceNumber(), status, "")) {
                header.setCommandId(SMPPConstant.CID_SUBMIT_SM_RESP);
                header.setCommandStatus(status);
                return response(header, new byte[0]);
            }
        }
        return pdu;
    }

    /** A message id of a length that SMPP allows. */
    private static byte[] plainId(byte[] pdu) {
        int end = HEADER_BYTES;
        while (end < Math.min(pdu.length, HEADER_BYTES + MessageId.LENGTH_MAX) && pdu[end] != 0) {
            end++;
        }
        return Arrays.copyOfRange(pdu, HEADER_BYTES, end);
    }

    /** With an id that is ended, and nothing after it. */
    private static byte[] response(Command header, byte[] id) {
        header.setCommandLength(HEADER_BYTES + id.length + 1);
        return ByteBuffer.allocate(header.getCommandLength())
                .putInt(header.getCommandLength())
                .putInt(header.getCommandId())
                .putInt(header.getCommandStatus())
                .putInt(header.getSequenceNumber())
                .put(id)
                .array();
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
            deliver = SubmitDecoder.sms(pdu);
        } catch (SmppStatusException e) {
            LOG.debug("The operator's delivery is refused: {}", e.getMessage());
            answers.refuse(sequenceNumber, e.status());
            return;
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
