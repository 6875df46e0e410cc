package io.georep.examples.sms.smpp;

import io.georep.examples.sms.Account;
import io.georep.examples.sms.Sms;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import org.jsmpp.SMPPConstant;
import org.jspecify.annotations.Nullable;

/** The submits of one session: from the bytes to the handler, and from its outcome to the answer. */
final class SubmitSession implements SubmitReader.Submits {
    /**
     * Reading pauses so long after a throttled submit: a client that ignores the throttling would take processor time from
     * others.
     */
    static final long PACE_NANOS = 5_000_000;

    private final SubmitHandler handler;
    private final Responses responses;
    private volatile @Nullable Account account;
    private volatile boolean unbound;
    private volatile boolean throttled;

    SubmitSession(SubmitHandler handler, Responses responses) {
        this.handler = handler;
        this.responses = responses;
    }

    /** From now on this account may submit. */
    void bound(Account toAccount) {
        account = toAccount;
    }

    /** May be called before the bind is over. */
    @Override
    public void unbound() {
        unbound = true;
    }

    /** Submits whose answer is not written yet. */
    int open() {
        return responses.open();
    }

    @Override
    public void submit(int sequenceNumber, byte[] pdu) throws IOException {
        if (throttled) {
            throttled = false;
            LockSupport.parkNanos(PACE_NANOS);
        }
        Account sender = account;
        if (sender == null || unbound) {
            responses.refuse(sequenceNumber, SMPPConstant.STAT_ESME_RINVBNDSTS);
            return;
        }
        Sms sms;
        try {
            sms = SubmitDecoder.sms(pdu);
        } catch (SmppStatusException e) {
            responses.refuse(sequenceNumber, e.status());
            return;
        } catch (BufferUnderflowException e) {
            responses.refuse(sequenceNumber, SMPPConstant.STAT_ESME_RINVCMDLEN);
            return;
        }
        if (responses.begin()) {
            begin(sequenceNumber, sender, sms);
        } else {
            throttled = true;
            responses.refuse(sequenceNumber, SMPPConstant.STAT_ESME_RTHROTTLED);
        }
    }

    private void begin(int sequenceNumber, Account sender, Sms sms) {
        try {
            handler.submit(sender, sms).whenComplete((messageId, error) -> {
                if (error == null) {
                    responses.answer(sequenceNumber, messageId, SMPPConstant.STAT_ESME_ROK);
                } else {
                    refused(sequenceNumber, error);
                }
            });
        } catch (RuntimeException e) {
            refused(sequenceNumber, e);
        }
    }

    private void refused(int sequenceNumber, Throwable error) {
        int status = status(error);
        if (status == SMPPConstant.STAT_ESME_RTHROTTLED) {
            throttled = true;
        }
        responses.answer(sequenceNumber, "", status);
    }

    private static int status(Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        return cause instanceof SmppStatusException refused ? refused.status() : SMPPConstant.STAT_ESME_RSYSERR;
    }
}
