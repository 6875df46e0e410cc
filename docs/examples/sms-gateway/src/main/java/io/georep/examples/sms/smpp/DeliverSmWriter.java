package io.georep.examples.sms.smpp;

import io.georep.examples.sms.Address;
import io.georep.examples.sms.Sms;
import java.io.IOException;
import org.jsmpp.InvalidResponseException;
import org.jsmpp.PDUException;
import org.jsmpp.SMPPConstant;
import org.jsmpp.bean.ESMClass;
import org.jsmpp.bean.NumberingPlanIndicator;
import org.jsmpp.bean.OptionalParameter;
import org.jsmpp.bean.RegisteredDelivery;
import org.jsmpp.bean.TypeOfNumber;
import org.jsmpp.extra.NegativeResponseException;
import org.jsmpp.extra.ResponseTimeoutException;
import org.jsmpp.session.SMPPServerSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes a deliver_sm into a session and waits for the answer. */
final class DeliverSmWriter {
    private static final Logger LOG = LoggerFactory.getLogger(DeliverSmWriter.class);

    private DeliverSmWriter() {}

    static Delivered deliver(SMPPServerSession session, Sms sms) {
        Address from = sms.from();
        Address to = sms.to();
        try {
            session.deliverShortMessage(
                    sms.serviceType(),
                    TypeOfNumber.valueOf(from.ton()),
                    NumberingPlanIndicator.valueOf(from.npi()),
                    from.number(),
                    TypeOfNumber.valueOf(to.ton()),
                    NumberingPlanIndicator.valueOf(to.npi()),
                    to.number(),
                    new ESMClass(sms.esmClass()),
                    sms.protocolId(),
                    sms.priority(),
                    new RegisteredDelivery(sms.registeredDelivery()),
                    sms::dataCoding,
                    sms.content(),
                    sms.tlvs().stream()
                            .map(each -> new OptionalParameter.OctetString(each.tag(), each.value()))
                            .toArray(OptionalParameter[]::new));
            return Delivered.TAKEN;
        } catch (NegativeResponseException e) {
            LOG.debug("A client refused a delivery with status 0x{}", Integer.toHexString(e.getCommandStatus()));
            return switch (e.getCommandStatus()) {
                case SMPPConstant.STAT_ESME_RX_P_APPN, SMPPConstant.STAT_ESME_RX_R_APPN -> Delivered.REFUSED;
                default -> Delivered.LATER;
            };
        } catch (PDUException e) {
            LOG.warn("SMPP cannot carry a delivery: {}", e.getMessage());
            return Delivered.REFUSED;
        } catch (ResponseTimeoutException | InvalidResponseException | IOException | IllegalStateException e) {
            LOG.debug("No answer to a delivery: {}", e.getMessage());
            return Delivered.LATER;
        }
    }
}
