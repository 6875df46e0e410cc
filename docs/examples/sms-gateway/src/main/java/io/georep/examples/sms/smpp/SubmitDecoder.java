package io.georep.examples.sms.smpp;

import io.georep.examples.sms.Address;
import io.georep.examples.sms.SmppTime;
import io.georep.examples.sms.Sms;
import io.georep.examples.sms.Tlv;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jsmpp.SMPPConstant;
import org.jsmpp.bean.NumberingPlanIndicator;
import org.jsmpp.bean.TypeOfNumber;
import org.jspecify.annotations.Nullable;

/**
 * Reads a submit_sm byte by byte. jSMPP's own decoder alters addresses that are not ASCII, and fails for a message_payload of
 * 32 KiB and more. Here every field is carried as it came, or the submit is refused with the status that names the field.
 */
public final class SubmitDecoder {
    private static final int HEADER_BYTES = 16;
    private static final int SERVICE_TYPE_MAX = 5;
    private static final int SHORT_MESSAGE_MAX = 254;
    private static final int TLVS_MAX = 64;
    private static final int TLV_HEADER_BYTES = 4;
    private static final int TLV_BYTES_MAX = 1024;
    private static final short MESSAGE_PAYLOAD = 0x0424;
    private static final int DEL = 0x7f;

    /** Error in the optional part of the PDU body, from SMPP 3.4; jSMPP has no name for it. */
    private static final int STAT_ESME_RINVOPTPARSTREAM = 0x000000c0;

    /** Invalid optional parameter value, from SMPP 3.4; jSMPP has no name for it. */
    private static final int STAT_ESME_RINVOPTPARVAL = 0x000000c4;

    private final ByteBuffer pdu;
    private final boolean isSubmit;
    private byte @Nullable [] payload;

    private SubmitDecoder(byte[] pdu, boolean isSubmit) {
        this.pdu = ByteBuffer.wrap(pdu).position(HEADER_BYTES);
        this.isSubmit = isSubmit;
    }

    /**
     * Reads a whole PDU, with its header.
     *
     * @throws SmppStatusException when a field is wrong
     * @throws BufferUnderflowException when the PDU ends before its fields do
     */
    public static Sms sms(byte[] pdu) {
        return new SubmitDecoder(pdu, true).sms();
    }

    /**
     * Reads a whole deliver_sm of an operator, which has the same fields. Only its content and its optional parameters count here, so
     * nothing else is a reason to refuse it: an operator would repeat a receipt in vain.
     *
     * @throws BufferUnderflowException when the PDU ends before its content does
     */
    public static Sms delivered(byte[] pdu) {
        return new SubmitDecoder(pdu, false).sms();
    }

    private void refuse(int status, String why) {
        if (isSubmit) {
            throw new SmppStatusException(status, why);
        }
    }

    private Sms sms() {
        String serviceType = text(SERVICE_TYPE_MAX, SMPPConstant.STAT_ESME_RINVSERTYP, "service_type");
        if (!serviceType.chars().allMatch(each -> each >= ' ' && each < DEL)) {
            refuse(SMPPConstant.STAT_ESME_RINVSERTYP, "service_type is not ASCII");
        }
        Address from = address(SMPPConstant.STAT_ESME_RINVSRCADR, "source_addr");
        Address to = address(SMPPConstant.STAT_ESME_RINVDSTADR, "destination_addr");
        if (to.number().isEmpty()) {
            refuse(SMPPConstant.STAT_ESME_RINVDSTADR, "destination_addr is empty");
        }
        byte esmClass = pdu.get();
        byte protocolId = pdu.get();
        byte priority = pdu.get();
        String schedule = time(SMPPConstant.STAT_ESME_RINVSCHED, "schedule_delivery_time");
        String validity = time(SMPPConstant.STAT_ESME_RINVEXPIRY, "validity_period");
        byte registeredDelivery = pdu.get();
        refuseUnlessZero(pdu.get(), SMPPConstant.STAT_ESME_RINVREPFLAG, "replace_if_present_flag");
        byte dataCoding = pdu.get();
        refuseUnlessZero(pdu.get(), SMPPConstant.STAT_ESME_RINVDFTMSGID, "sm_default_msg_id");
        byte[] shortMessage = shortMessage();
        List<Tlv> tlvs = tlvs();
        return new Sms(
                from,
                to,
                content(shortMessage),
                dataCoding,
                esmClass,
                protocolId,
                priority,
                registeredDelivery,
                serviceType,
                validity,
                schedule,
                tlvs);
    }

    /** A C-octet string, byte by byte as ISO 8859-1. */
    private String text(int max, int status, String field) {
        int begin = pdu.position();
        while (pdu.get() != 0) {
            // Looks for the end, which may be missing.
        }
        int length = pdu.position() - 1 - begin;
        if (length > max) {
            refuse(status, field + " has " + length + " bytes, allowed are " + max);
        }
        return new String(pdu.array(), begin, length, StandardCharsets.ISO_8859_1);
    }

    /** Type, plan and number. A control character has no place in a number, and would forge lines of logs. */
    private Address address(int status, String field) {
        byte ton = pdu.get();
        byte npi = pdu.get();
        String number = text(Address.LENGTH_MAX, status, field);
        if (number.chars().anyMatch(Character::isISOControl)) {
            refuse(status, field + " has control characters");
        }
        try {
            TypeOfNumber.valueOf(ton);
            NumberingPlanIndicator.valueOf(npi);
        } catch (IllegalArgumentException e) {
            refuse(status, field + " has a type or plan that SMPP does not know");
        }
        return new Address(number, ton, npi);
    }

    private String time(int status, String field) {
        String text = text(SmppTime.LENGTH, status, field);
        if (!text.isEmpty() && !SmppTime.valid(text)) {
            refuse(status, field + " is not a time of SMPP");
        }
        return text;
    }

    private void refuseUnlessZero(byte value, int status, String field) {
        if (value != 0) {
            refuse(status, field + " is not served here");
        }
    }

    private byte[] shortMessage() {
        int length = Byte.toUnsignedInt(pdu.get());
        if (length > SHORT_MESSAGE_MAX) {
            refuse(SMPPConstant.STAT_ESME_RINVMSGLEN, "sm_length is " + length);
        }
        return bytes(length);
    }

    /** Optional parameters without content take room as well, here and in what goes to the operator: all count. */
    private List<Tlv> tlvs() {
        List<Tlv> tlvs = new ArrayList<>();
        int sum = 0;
        while (hasTlv()) {
            short tag = pdu.getShort();
            byte[] value = bytes(Short.toUnsignedInt(pdu.getShort()));
            if (tag != MESSAGE_PAYLOAD) {
                sum += TLV_HEADER_BYTES + value.length;
                tlvs.add(new Tlv(tag, value));
            } else if (payload == null) {
                payload = value;
            } else {
                refuse(STAT_ESME_RINVOPTPARSTREAM, "message_payload is there twice");
            }
            if (tlvs.size() > TLVS_MAX) {
                refuse(STAT_ESME_RINVOPTPARSTREAM, "there are more than " + TLVS_MAX + " optional parameters");
            }
        }
        if (sum > TLV_BYTES_MAX) {
            refuse(STAT_ESME_RINVOPTPARVAL, "optional parameters have " + sum + " bytes, allowed are " + TLV_BYTES_MAX);
        }
        return tlvs;
    }

    /**
     * Returns whether another optional parameter follows. After a deliver_sm of an operator something else may, such as
     * padding.
     */
    private boolean hasTlv() {
        int left = pdu.remaining() - TLV_HEADER_BYTES;
        return isSubmit
                ? pdu.hasRemaining()
                : left >= 0 && left >= Short.toUnsignedInt(pdu.getShort(pdu.position() + Short.BYTES));
    }

    private byte[] content(byte[] shortMessage) {
        byte[] inPayload = payload;
        if (inPayload == null || inPayload.length == 0) {
            return shortMessage;
        }
        if (shortMessage.length > 0) {
            refuse(SMPPConstant.STAT_ESME_RINVMSGLEN, "both short_message and message_payload have content");
        }
        return inPayload;
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[Math.min(length, pdu.remaining())];
        pdu.get(bytes);
        if (bytes.length < length) {
            throw new BufferUnderflowException();
        }
        return bytes;
    }
}
