package io.georep.examples.sms;

/**
 * One message on its way. Travels between the sites as JSON; fields may be added, and are ignored by older versions.
 *
 * @param from who sends it
 * @param to who gets it
 * @param content what it says, written as {@code dataCoding} tells; not to be changed
 * @param dataCoding SMPP's data_coding
 * @param esmClass SMPP's esm_class, which tells for example that the content begins with a user data header
 * @param protocolId SMPP's protocol_id
 * @param priority SMPP's priority_flag
 * @param registeredDelivery SMPP's registered_delivery: which receipts the sender wants
 * @param serviceType SMPP's service_type, empty for the operator's default
 * @param validityPeriod SMPP's validity_period, empty for the operator's default
 */
public record Sms(
        Address from,
        Address to,
        byte[] content,
        byte dataCoding,
        byte esmClass,
        byte protocolId,
        byte priority,
        byte registeredDelivery,
        String serviceType,
        String validityPeriod) {

    /** A plain text. */
    public static Sms text(Address from, Address to, String text, boolean receipt) {
        Alphabet alphabet = Alphabet.shortest(text);
        byte registeredDelivery = (byte) (receipt ? 1 : 0);
        return new Sms(
                from,
                to,
                alphabet.encode(text),
                alphabet.dataCoding(),
                (byte) 0,
                (byte) 0,
                (byte) 0,
                registeredDelivery,
                "",
                "");
    }

    /** The content as text; binary content byte by byte. */
    public String text() {
        return Alphabet.of(dataCoding).decode(content);
    }
}
