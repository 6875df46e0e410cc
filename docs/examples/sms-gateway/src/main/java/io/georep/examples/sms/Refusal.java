package io.georep.examples.sms;

import io.georep.examples.sms.credit.NoCreditException;
import io.georep.funnel.MapUnavailableException;
import io.georep.geopaxos.OrderedMapUnavailableException;
import io.georep.model.ClosedException;
import io.georep.model.IndeterminateException;
import io.georep.model.RejectedException;
import java.util.concurrent.CompletionException;
import org.jsmpp.SMPPConstant;

/**
 * Why a message was not taken, in the terms of both doors. A throttled client keeps its session and sends more slowly; after
 * a system error it is wise to try another gateway.
 */
public enum Refusal {
    /** Too much is pending here: the same gateway will take the message a little later. */
    SLOW_DOWN(SMPPConstant.STAT_ESME_RTHROTTLED, 429),
    /** Too few sites can be reached, the disk is full, the accounts are not known, no credit can be reserved, or the gateway is leaving: another gateway may take the message. */
    UNAVAILABLE(SMPPConstant.STAT_ESME_RSYSERR, 503),
    /** No gateway will take it. */
    TOO_LONG(SMPPConstant.STAT_ESME_RINVMSGLEN, 413),
    /** The account is prepaid and has too little credit. */
    NO_CREDIT(SMPPConstant.STAT_ESME_RSUBMITFAIL, 402),
    /** The account was closed. */
    CLOSED(SMPPConstant.STAT_ESME_RINVSYSID, 401),
    /** It may be forwarded all the same: sending it again risks a second delivery. */
    UNKNOWN_OUTCOME(SMPPConstant.STAT_ESME_RSYSERR, 504),
    /** A bug. */
    FAULT(SMPPConstant.STAT_ESME_RSYSERR, 500);

    private final int smppStatus;
    private final int httpStatus;

    Refusal(int smppStatus, int httpStatus) {
        this.smppStatus = smppStatus;
        this.httpStatus = httpStatus;
    }

    /** What a failed send means for the sender. */
    public static Refusal of(Throwable error) {
        Throwable cause = cause(error);
        if (cause instanceof RejectedException rejected) {
            return switch (rejected.reason()) {
                case QUEUE_FULL -> SLOW_DOWN;
                case TOO_FEW_PEERS, STORE_FULL, STORE_STALLED, LEAVING -> UNAVAILABLE;
                case PAYLOAD_TOO_LARGE -> TOO_LONG;
            };
        }
        if (cause instanceof AccountClosedException) {
            return CLOSED;
        }
        if (cause instanceof NoCreditException) {
            return NO_CREDIT;
        }
        if (cause instanceof ClosedException
                || cause instanceof MapUnavailableException
                || cause instanceof OrderedMapUnavailableException) {
            return UNAVAILABLE;
        }
        return cause instanceof IndeterminateException ? UNKNOWN_OUTCOME : FAULT;
    }

    /** The error without what stages wrap around it. */
    public static Throwable cause(Throwable error) {
        Throwable cause = error.getCause();
        return error instanceof CompletionException && cause != null ? cause : error;
    }

    /** SMPP's command_status. */
    public int smppStatus() {
        return smppStatus;
    }

    /** Status code of HTTP. */
    public int httpStatus() {
        return httpStatus;
    }
}
