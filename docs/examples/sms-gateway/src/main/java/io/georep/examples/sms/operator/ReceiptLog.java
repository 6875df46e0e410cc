package io.georep.examples.sms.operator;

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

/** Takes delivery receipts and writes them to the log. A larger gateway would route them back to the client. */
final class ReceiptLog implements MessageReceiverListener {
    private static final Logger LOG = LoggerFactory.getLogger(ReceiptLog.class);

    @Override
    public void onAcceptDeliverSm(DeliverSm deliver) {
        LOG.info("Receipt or message from {} for {}", deliver.getSourceAddr(), deliver.getDestAddress());
    }

    @Override
    public void onAcceptAlertNotification(AlertNotification alert) {
        LOG.debug("{} is available again", alert.getSourceAddr());
    }

    @Override
    public DataSmResult onAcceptDataSm(DataSm data, Session source) throws ProcessRequestException {
        throw new ProcessRequestException("data_sm is not served", SMPPConstant.STAT_ESME_RINVCMDID);
    }
}
