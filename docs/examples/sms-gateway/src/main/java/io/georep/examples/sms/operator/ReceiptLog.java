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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes delivery receipts and writes them to the log. A larger gateway would route them back to the client. */
final class ReceiptLog implements MessageReceiverListener {
    private static final Logger LOG = LoggerFactory.getLogger(ReceiptLog.class);

    @Override
    public void onAcceptDeliverSm(DeliverSm deliver) {
        LOG.info(
                "Receipt or message from {} for {}",
                printable(deliver.getSourceAddr()),
                printable(deliver.getDestAddress()));
    }

    @Override
    public void onAcceptAlertNotification(AlertNotification alert) {
        LOG.debug("{} is available again", printable(alert.getSourceAddr()));
    }

    @Override
    public DataSmResult onAcceptDataSm(DataSm data, Session source) throws ProcessRequestException {
        throw new ProcessRequestException("data_sm is not served", SMPPConstant.STAT_ESME_RINVCMDID);
    }

    private static String printable(@Nullable String text) {
        return Printable.of(Objects.requireNonNullElse(text, ""));
    }
}
