package io.georep.examples.sms.operator;

import io.georep.examples.sms.Printable;
import java.util.Objects;
import org.jsmpp.SMPPConstant;
import org.jsmpp.bean.AlertNotification;
import org.jsmpp.bean.DataSm;
import org.jsmpp.bean.DeliverSm;
import org.jsmpp.extra.ProcessRequestException;
import org.jsmpp.session.DataSmResult;
import org.jsmpp.session.MessageReceiverListener;
import org.jsmpp.session.Session;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What else an operator may send: nothing that is served here. A deliver_sm does not get so far, see {@link DeliverReader}. */
final class NoDataSm implements MessageReceiverListener {
    private static final Logger LOG = LoggerFactory.getLogger(NoDataSm.class);

    @Override
    public void onAcceptDeliverSm(DeliverSm deliver) throws ProcessRequestException {
        throw new ProcessRequestException("deliver_sm is not served here", SMPPConstant.STAT_ESME_RINVCMDID);
    }

    @Override
    public void onAcceptAlertNotification(AlertNotification alert) {
        LOG.debug("{} is available again", Printable.of(Objects.requireNonNullElse(alert.getSourceAddr(), "")));
    }

    @Override
    public DataSmResult onAcceptDataSm(DataSm data, Session source) throws ProcessRequestException {
        throw new ProcessRequestException("data_sm is not served", SMPPConstant.STAT_ESME_RINVCMDID);
    }
}
