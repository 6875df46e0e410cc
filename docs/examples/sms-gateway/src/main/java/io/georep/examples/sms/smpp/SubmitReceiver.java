package io.georep.examples.sms.smpp;

import java.util.concurrent.CompletableFuture;
import org.jsmpp.PDUStringException;
import org.jsmpp.SMPPConstant;
import org.jsmpp.bean.BroadcastSm;
import org.jsmpp.bean.CancelBroadcastSm;
import org.jsmpp.bean.CancelSm;
import org.jsmpp.bean.DataSm;
import org.jsmpp.bean.EnquireLink;
import org.jsmpp.bean.OptionalParameter;
import org.jsmpp.bean.QueryBroadcastSm;
import org.jsmpp.bean.QuerySm;
import org.jsmpp.bean.ReplaceSm;
import org.jsmpp.bean.SubmitMulti;
import org.jsmpp.bean.SubmitSm;
import org.jsmpp.extra.ProcessRequestException;
import org.jsmpp.session.BroadcastSmResult;
import org.jsmpp.session.DataSmResult;
import org.jsmpp.session.QueryBroadcastSmResult;
import org.jsmpp.session.QuerySmResult;
import org.jsmpp.session.SMPPServerSession;
import org.jsmpp.session.ServerMessageReceiverListener;
import org.jsmpp.session.Session;
import org.jsmpp.session.SubmitMultiResult;
import org.jsmpp.session.SubmitSmResult;
import org.jsmpp.util.MessageId;

/** Hands submits of one session to the handler; refuses everything else. */
final class SubmitReceiver implements ServerMessageReceiverListener {
    private static final OptionalParameter[] NONE = {};

    private final SubmitHandler handler;
    private final DeferredResponses responses;

    SubmitReceiver(SubmitHandler handler, DeferredResponses responses) {
        this.handler = handler;
        this.responses = responses;
    }

    @Override
    public SubmitSmResult onAcceptSubmitSm(SubmitSm submit, SMPPServerSession source) throws ProcessRequestException {
        try {
            CompletableFuture<String> outcome = new CompletableFuture<>();
            SubmitSmResult ticket = new SubmitSmResult(new MessageId(responses.ticket(outcome)), NONE);
            begin(submit, outcome);
            return ticket;
        } catch (SmppStatusException e) {
            throw new ProcessRequestException(e.getMessage(), e.status());
        } catch (PDUStringException e) {
            throw new IllegalStateException("a ticket is not a message id", e);
        }
    }

    private void begin(SubmitSm submit, CompletableFuture<String> outcome) {
        try {
            handler.submit(submit).whenComplete((messageId, error) -> {
                if (error == null) {
                    outcome.complete(messageId);
                } else {
                    outcome.completeExceptionally(error);
                }
            });
        } catch (RuntimeException e) {
            outcome.completeExceptionally(e);
        }
    }

    @Override
    public void onAcceptEnquireLink(EnquireLink enquireLink, Session source) {
        // The session answers by itself.
    }

    @Override
    public SubmitMultiResult onAcceptSubmitMulti(SubmitMulti request, SMPPServerSession source)
            throws ProcessRequestException {
        throw notServed();
    }

    @Override
    public QuerySmResult onAcceptQuerySm(QuerySm request, SMPPServerSession source) throws ProcessRequestException {
        throw notServed();
    }

    @Override
    public void onAcceptReplaceSm(ReplaceSm request, SMPPServerSession source) throws ProcessRequestException {
        throw notServed();
    }

    @Override
    public void onAcceptCancelSm(CancelSm request, SMPPServerSession source) throws ProcessRequestException {
        throw notServed();
    }

    @Override
    public BroadcastSmResult onAcceptBroadcastSm(BroadcastSm request, SMPPServerSession source)
            throws ProcessRequestException {
        throw notServed();
    }

    @Override
    public void onAcceptCancelBroadcastSm(CancelBroadcastSm request, SMPPServerSession source)
            throws ProcessRequestException {
        throw notServed();
    }

    @Override
    public QueryBroadcastSmResult onAcceptQueryBroadcastSm(QueryBroadcastSm request, SMPPServerSession source)
            throws ProcessRequestException {
        throw notServed();
    }

    @Override
    public DataSmResult onAcceptDataSm(DataSm request, Session source) throws ProcessRequestException {
        throw notServed();
    }

    private static ProcessRequestException notServed() {
        return new ProcessRequestException("not served here", SMPPConstant.STAT_ESME_RINVCMDID);
    }
}
