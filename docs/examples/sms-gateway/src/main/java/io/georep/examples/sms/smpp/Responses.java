package io.georep.examples.sms.smpp;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jsmpp.DefaultPDUSender;
import org.jsmpp.PDUSender;
import org.jsmpp.PDUStringException;
import org.jsmpp.SMPPConstant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the submits or deliveries of one session when their outcome is known; no thread waits for it. The outcome comes on a
 * thread that must not be blocked, and a client may read slowly. So answers are queued, and one task per session writes all
 * that have gathered in one piece.
 */
public final class Responses {
    private static final Logger LOG = LoggerFactory.getLogger(Responses.class);
    private static final int PIECE_BYTES_MAX = 32 * 1024;

    private final PDUSender encoder = new DefaultPDUSender();
    private final boolean ofSubmits;
    private final OutputStream out;
    private final Executor executor;
    private final int window;
    private final AtomicInteger open = new AtomicInteger();
    private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
    private final AtomicInteger unwritten = new AtomicInteger();

    private record Answer(int sequenceNumber, String messageId, int status) {}

    /**
     * Nothing is open yet.
     *
     * @param ofSubmits whether these are answers to submits; else to deliveries
     * @param out of a connection, which ends when it is closed
     * @param executor runs tasks that may block
     * @param window most requests open at a time
     */
    public Responses(boolean ofSubmits, OutputStream out, Executor executor, int window) {
        this.ofSubmits = ofSubmits;
        this.out = out;
        this.executor = executor;
        this.window = window;
    }

    /** Requests whose answer is not written yet. */
    int open() {
        return open.get();
    }

    /** Opens a request, to be answered once; false when the window is full. */
    public boolean begin() {
        if (open.incrementAndGet() > window) {
            open.decrementAndGet();
            return false;
        }
        return true;
    }

    /** Refuses a request that was not begun. Blocks while the client does not read, so that it cannot send more meanwhile. */
    public void refuse(int sequenceNumber, int status) throws IOException {
        ByteArrayOutputStream piece = new ByteArrayOutputStream();
        encode(new Answer(sequenceNumber, "", status), piece);
        writePiece(piece);
    }

    /** Answers a request that was begun; from any thread, does not block. */
    public void answer(int sequenceNumber, String messageId, int status) {
        answers.add(new Answer(sequenceNumber, messageId, status));
        if (unwritten.getAndIncrement() == 0) {
            try {
                executor.execute(this::write);
            } catch (Throwable e) {
                // Perhaps no thread can be started. The connection ends, because no later answer would start the
                // writer.
                end(e);
            }
        }
    }

    private void end(Throwable cause) {
        LOG.debug("Answers cannot be written: their connection is closed", cause);
        try {
            out.close();
        } catch (IOException e) {
            LOG.debug("Closing a connection: {}", e.getMessage());
        }
    }

    /** Writes until nothing is left. */
    private void write() {
        try {
            writeAll();
        } catch (Throwable e) {
            end(e);
        }
    }

    private void writeAll() {
        boolean broken = false;
        int left;
        do {
            ByteArrayOutputStream piece = new ByteArrayOutputStream();
            int count = 0;
            Answer answer = answers.poll();
            while (answer != null) {
                encode(answer, piece);
                count++;
                answer = piece.size() < PIECE_BYTES_MAX ? answers.poll() : null;
            }
            if (!broken) {
                broken = !written(piece);
            }
            open.addAndGet(-count);
            left = unwritten.addAndGet(-count);
        } while (left > 0);
    }

    private void encode(Answer answer, ByteArrayOutputStream piece) {
        try {
            if (!ofSubmits) {
                encoder.sendDeliverSmResp(piece, answer.status(), answer.sequenceNumber(), "");
            } else if (answer.status() == SMPPConstant.STAT_ESME_ROK) {
                encoder.sendSubmitSmResp(piece, answer.sequenceNumber(), answer.messageId());
            } else {
                encoder.sendHeader(piece, SMPPConstant.CID_SUBMIT_SM_RESP, answer.status(), answer.sequenceNumber());
            }
        } catch (PDUStringException | IOException e) {
            LOG.error("Message id '{}' cannot be sent: the client gets no answer", answer.messageId(), e);
        }
    }

    /** Returns false when the client is gone; the session's reader notices that, too. */
    private boolean written(ByteArrayOutputStream piece) {
        try {
            writePiece(piece);
            return true;
        } catch (IOException e) {
            LOG.debug("A client is gone before all its answers were written: {}", e.getMessage());
            return false;
        }
    }

    /** The session writes to the same stream, and holds the same lock for each PDU. */
    private void writePiece(ByteArrayOutputStream piece) throws IOException {
        synchronized (out) {
            piece.writeTo(out);
            out.flush();
        }
    }
}
