package io.georep.examples.sms.smpp;

import java.io.DataInputStream;
import java.io.IOException;
import java.util.Set;
import org.jsmpp.DefaultPDUReader;
import org.jsmpp.InvalidCommandLengthException;
import org.jsmpp.PDUStringException;
import org.jsmpp.SMPPConstant;
import org.jsmpp.bean.Command;
import org.jsmpp.util.DefaultDecomposer;

/**
 * Reads PDUs from a client that may send anything. jSMPP's own reader allocates whatever length a client announces; and if a
 * body is shorter than its fields say, the session loses a thread and the client its answer. So the length is bounded here, and
 * PDUs that cannot be decoded or are not served go no further. Submits never reach the session: they are handed over here as
 * bytes, even before a bind.
 */
final class SubmitReader extends DefaultPDUReader {
    /** Takes submits, and answers each of them. */
    @FunctionalInterface
    interface Submits {
        /** Takes a whole PDU. */
        void submit(int sequenceNumber, byte[] pdu) throws IOException;

        /** The client has unbound: what it still submits is refused. */
        default void unbound() {}
    }

    /** A message_payload may have 64 KiB; everything else together is far below the rest. */
    static final int LENGTH_MAX = 66 * 1024;

    /** Answered with a generic_nack by the session. */
    private static final int UNKNOWN_COMMAND = 0x000000ff;

    private static final Set<Integer> SERVED = Set.of(
            SMPPConstant.CID_BIND_TRANSMITTER,
            SMPPConstant.CID_BIND_TRANSCEIVER,
            SMPPConstant.CID_BIND_RECEIVER,
            SMPPConstant.CID_SUBMIT_SM,
            SMPPConstant.CID_DELIVER_SM_RESP,
            SMPPConstant.CID_ENQUIRE_LINK,
            SMPPConstant.CID_ENQUIRE_LINK_RESP,
            SMPPConstant.CID_UNBIND,
            SMPPConstant.CID_UNBIND_RESP,
            SMPPConstant.CID_GENERIC_NACK);

    private final DefaultDecomposer decomposer = new DefaultDecomposer();
    private final Submits submits;
    private byte[] pdu = {};
    private boolean bindSeen;

    SubmitReader(Submits submits) {
        this.submits = submits;
    }

    /** Reads up to the next PDU that is not a submit. */
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
        Command header = header(in);
        pdu = super.readPDU(in, header);
        while (header.getCommandId() == SMPPConstant.CID_SUBMIT_SM) {
            submits.submit(header.getSequenceNumber(), pdu);
            header = header(in);
            pdu = super.readPDU(in, header);
        }
        if (isBind(header.getCommandId())) {
            if (bindSeen) {
                // The session expects one, and has no answer for another.
                throw new IOException("a second bind on one connection");
            }
            bindSeen = true;
        }
        if (header.getCommandId() == SMPPConstant.CID_UNBIND) {
            submits.unbound();
        }
        if (!readable(header.getCommandId())) {
            header.setCommandId(UNKNOWN_COMMAND);
        }
        return header;
    }

    private static boolean isBind(int command) {
        return command == SMPPConstant.CID_BIND_TRANSMITTER
                || command == SMPPConstant.CID_BIND_TRANSCEIVER
                || command == SMPPConstant.CID_BIND_RECEIVER;
    }

    @Override
    public byte[] readPDU(DataInputStream in, Command header) {
        return pdu;
    }

    private static Command header(DataInputStream in) throws InvalidCommandLengthException, IOException {
        Command header = new Command();
        int length = in.readInt();
        if (length < SMPPConstant.PDU_HEADER_LENGTH || length > LENGTH_MAX) {
            throw new InvalidCommandLengthException("command_length is " + Integer.toUnsignedString(length)
                    + ", allowed are " + SMPPConstant.PDU_HEADER_LENGTH + " to " + LENGTH_MAX);
        }
        header.setCommandLength(length);
        int command = in.readInt();
        header.setCommandId(SERVED.contains(command) ? command : UNKNOWN_COMMAND);
        header.setCommandStatus(in.readInt());
        header.setSequenceNumber(in.readInt());
        return header;
    }

    private boolean readable(int command) {
        try {
            switch (command) {
                case SMPPConstant.CID_BIND_TRANSMITTER,
                        SMPPConstant.CID_BIND_TRANSCEIVER,
                        SMPPConstant.CID_BIND_RECEIVER -> decomposer.bind(pdu);
                case SMPPConstant.CID_DELIVER_SM_RESP -> decomposer.deliverSmResp(pdu);
                default -> {}
            }
            return true;
        } catch (PDUStringException e) {
            // The session finds the same and answers with the status that fits.
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }
}
