package io.georep.examples.sms.smpp;

import org.jsmpp.SMPPConstant;
import org.jsmpp.bean.BroadcastSm;
import org.jsmpp.bean.CancelBroadcastSm;
import org.jsmpp.bean.CancelSm;
import org.jsmpp.bean.DataSm;
import org.jsmpp.bean.EnquireLink;
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

/** Refuses all requests that reach the session. Submits do not reach it, see {@link SubmitReader}. */
final class NothingElse implements ServerMessageReceiverListener {
    @Override
    public SubmitSmResult onAcceptSubmitSm(SubmitSm submit, SMPPServerSession source) throws ProcessRequestException {
        throw notServed();
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
