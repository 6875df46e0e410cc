package io.georep.examples.sms.smpp;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jsmpp.DefaultPDUSender;
import org.jsmpp.PDUSender;
import org.jsmpp.PDUStringException;
import org.jsmpp.SMPPConstant;
import org.jsmpp.SynchronizedPDUSender;
import org.jsmpp.bean.OptionalParameter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers submits when their outcome is known, without a thread waiting for each. jSMPP asks its listener for a message id
 * and hands that to this sender at once. So the listener answers with a ticket, and when the sender is handed a ticket, it
 * sends nothing yet but waits for the outcome behind it.
 *
 * <p>Outcomes become known on a thread that must not be blocked, and a client may read slowly. So answers are queued, and
 * written by one task per session; what gathers meanwhile goes out in one piece.
 */
final class DeferredResponses extends SynchronizedPDUSender {
    private static final Logger LOG = LoggerFactory.getLogger(DeferredResponses.class);
    private static final int RESPONSE_BIT = 0x80000000;
    private static final int PIECE_BYTES_MAX = 32 * 1024;

    private final PDUSender encoder = new DefaultPDUSender();
    private final Executor executor;
    private final int window;
    private final Map<String, CompletableFuture<String>> outcomes = new ConcurrentHashMap<>();
    private final AtomicInteger open = new AtomicInteger();
    private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
    private final AtomicInteger unwritten = new AtomicInteger();
    private final AtomicLong tickets = new AtomicLong();

    private record Answer(OutputStream out, int sequenceNumber, String messageId, int status) {}

    /**
     * Nothing is open yet.
     *
     * @param executor runs tasks that may block
     * @param window most submits open at a time
     */
    DeferredResponses(Executor executor, int window) {
        super(new DefaultPDUSender());
        this.executor = executor;
        this.window = window;
    }

    /** Submits whose answer is not written yet. */
    int open() {
        return open.get();
    }

    /** A ticket to use as message id; the outcome may be completed from any thread. */
    String ticket(CompletableFuture<String> outcome) {
        if (open.incrementAndGet() > window) {
            open.decrementAndGet();
            throw new SmppStatusException(
                    SMPPConstant.STAT_ESME_RTHROTTLED, "more than " + window + " submits wait for their answer");
        }
        String ticket = Long.toString(tickets.getAndIncrement());
        outcomes.put(ticket, outcome);
        return ticket;
    }

    @Override
    public byte[] sendSubmitSmResp(
            OutputStream out, int sequenceNumber, String ticket, OptionalParameter... optionalParameters) {
        CompletableFuture<String> outcome = outcomes.remove(ticket);
        if (outcome == null) {
            throw new IllegalStateException("no outcome behind ticket " + ticket);
        }
        outcome.whenComplete((messageId, error) -> {
            answers.add(
                    error == null
                            ? new Answer(out, sequenceNumber, messageId, SMPPConstant.STAT_ESME_ROK)
                            : new Answer(out, sequenceNumber, "", status(error)));
            if (unwritten.getAndIncrement() == 0) {
                executor.execute(this::write);
            }
        });
        return new byte[0];
    }

    private static int status(Throwable error) {
        Throwable cause = error.getCause() != null && !(error instanceof SmppStatusException) ? error.getCause() : error;
        return cause instanceof SmppStatusException refused ? refused.status() : SMPPConstant.STAT_ESME_RSYSERR;
    }

    /** Writes until nothing is left. */
    private void write() {
        boolean broken = false;
        int left;
        do {
            ByteArrayOutputStream piece = new ByteArrayOutputStream();
            int count = 0;
            OutputStream out = null;
            Answer answer = answers.poll();
            while (answer != null) {
                out = answer.out();
                encode(answer, piece);
                count++;
                answer = piece.size() < PIECE_BYTES_MAX ? answers.poll() : null;
            }
            if (out != null && !broken) {
                broken = !write(piece, out);
            }
            open.addAndGet(-count);
            left = unwritten.addAndGet(-count);
        } while (left > 0);
    }

    private void encode(Answer answer, ByteArrayOutputStream piece) {
        try {
            if (answer.status() == SMPPConstant.STAT_ESME_ROK) {
                encoder.sendSubmitSmResp(piece, answer.sequenceNumber(), answer.messageId());
            } else {
                encoder.sendHeader(
                        piece, SMPPConstant.CID_SUBMIT_SM | RESPONSE_BIT, answer.status(), answer.sequenceNumber());
            }
        } catch (PDUStringException | IOException e) {
            LOG.error("Message id '{}' cannot be sent: the client gets no answer", answer.messageId(), e);
        }
    }

    /** Writes one piece; answers false when the client is gone, which the session's reader finds as well. */
    private static boolean write(ByteArrayOutputStream piece, OutputStream out) {
        try {
            synchronized (out) {
                piece.writeTo(out);
                out.flush();
            }
            return true;
        } catch (IOException e) {
            LOG.info("A client is gone before all its answers were written: {}", e.getMessage());
            return false;
        }
    }
}
