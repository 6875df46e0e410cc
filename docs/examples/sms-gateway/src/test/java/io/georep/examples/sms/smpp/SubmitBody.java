package io.georep.examples.sms.smpp;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The body of a submit, field by field; strings are bytes in ISO 8859-1. Set what is to be different. */
public final class SubmitBody {
    /** service_type. */
    public String serviceType = "";

    /** source_addr. */
    public String source = "GeoRep";

    /** dest_addr_ton. */
    public int destinationTon = 1;

    /** destination_addr. */
    public String destination = "31201234567";

    /** esm_class. */
    public int esmClass;

    /** schedule_delivery_time. */
    public String schedule = "";

    /** validity_period. */
    public String validity = "";

    /** registered_delivery. */
    public int registeredDelivery;

    /** replace_if_present_flag. */
    public int replace;

    /** data_coding. */
    public int dataCoding;

    /** short_message. */
    public String text = "hello";

    private final ByteArrayOutputStream tlvs = new ByteArrayOutputStream();

    /** Adds an optional parameter. */
    public SubmitBody tlv(int tag, byte... value) {
        tlvs.writeBytes(ByteBuffer.allocate(4)
                .putShort((short) tag)
                .putShort((short) value.length)
                .array());
        tlvs.writeBytes(value);
        return this;
    }

    /** The bytes. */
    public byte[] bytes() {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        string(body, serviceType);
        body.writeBytes(new byte[] {5, 0});
        string(body, source);
        body.writeBytes(new byte[] {(byte) destinationTon, 1});
        string(body, destination);
        body.writeBytes(new byte[] {(byte) esmClass, 0, 0});
        string(body, schedule);
        string(body, validity);
        body.writeBytes(new byte[] {(byte) registeredDelivery, (byte) replace, (byte) dataCoding, 0});
        body.write(text.length());
        body.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
        body.writeBytes(tlvs.toByteArray());
        return body.toByteArray();
    }

    private static void string(ByteArrayOutputStream body, String text) {
        body.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
        body.write(0);
    }
}
