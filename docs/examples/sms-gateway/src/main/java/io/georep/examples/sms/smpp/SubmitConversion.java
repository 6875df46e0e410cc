package io.georep.examples.sms.smpp;

import io.georep.examples.sms.Address;
import io.georep.examples.sms.Sms;
import java.util.Objects;
import org.jsmpp.SMPPConstant;
import org.jsmpp.bean.NumberingPlanIndicator;
import org.jsmpp.bean.OptionalParameter;
import org.jsmpp.bean.SubmitSm;
import org.jsmpp.bean.TypeOfNumber;
import org.jspecify.annotations.Nullable;

/** A submit as a message. */
public final class SubmitConversion {
    private SubmitConversion() {}

    /**
     * Reads a submit.
     *
     * @throws SmppStatusException when an operator would refuse it anyway
     */
    public static Sms sms(SubmitSm submit) {
        return new Sms(
                source(submit),
                destination(submit),
                content(submit),
                submit.getDataCoding(),
                submit.getEsmClass(),
                submit.getProtocolId(),
                submit.getPriorityFlag(),
                submit.getRegisteredDelivery(),
                Objects.requireNonNullElse(submit.getServiceType(), ""),
                Objects.requireNonNullElse(submit.getValidityPeriod(), ""));
    }

    private static Address source(SubmitSm submit) {
        Address address = address(submit.getSourceAddr(), submit.getSourceAddrTon(), submit.getSourceAddrNpi());
        if (address == null) {
            throw new SmppStatusException(SMPPConstant.STAT_ESME_RINVSRCADR, "invalid source address");
        }
        return address;
    }

    private static Address destination(SubmitSm submit) {
        Address address = address(submit.getDestAddress(), submit.getDestAddrTon(), submit.getDestAddrNpi());
        if (address == null || address.number().isEmpty()) {
            throw new SmppStatusException(SMPPConstant.STAT_ESME_RINVDSTADR, "invalid destination address");
        }
        return address;
    }

    /** Null when type or plan are none of those SMPP knows. */
    private static @Nullable Address address(@Nullable String number, byte ton, byte npi) {
        try {
            TypeOfNumber.valueOf(ton);
            NumberingPlanIndicator.valueOf(npi);
        } catch (IllegalArgumentException e) {
            return null;
        }
        return new Address(Objects.requireNonNullElse(number, ""), ton, npi);
    }

    private static byte[] content(SubmitSm submit) {
        byte[] inside = Objects.requireNonNullElse(submit.getShortMessage(), new byte[0]);
        OptionalParameter.Message_payload payload =
                submit.getOptionalParameter(OptionalParameter.Message_payload.class);
        if (payload == null) {
            return inside;
        }
        if (inside.length > 0) {
            throw new SmppStatusException(
                    SMPPConstant.STAT_ESME_RINVMSGLEN, "both short_message and message_payload have content");
        }
        return payload.getValue();
    }
}
