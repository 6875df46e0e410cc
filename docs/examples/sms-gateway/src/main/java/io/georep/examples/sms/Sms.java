package io.georep.examples.sms;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

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
 * @param scheduleDeliveryTime SMPP's schedule_delivery_time, empty for at once
 * @param tlvs optional parameters the sender gave, without message_payload: parts of a long message, ports, language...
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
        String validityPeriod,
        String scheduleDeliveryTime,
        List<Tlv> tlvs) {

    /** An older version, which may run at another site, writes neither time nor optional parameters: Jackson gives null. */
    public Sms {
        scheduleDeliveryTime = Objects.requireNonNullElse(scheduleDeliveryTime, "");
        tlvs = tlvs == null ? List.of() : List.copyOf(tlvs);
    }

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
                "",
                "",
                List.of());
    }

    /** When it is too late to send it; null for never. */
    public @Nullable Instant expiry() {
        return instant(validityPeriod);
    }

    /** When the operator is to deliver it; null for at once. */
    public @Nullable Instant schedule() {
        return instant(scheduleDeliveryTime);
    }

    private static @Nullable Instant instant(String time) {
        return time.isEmpty() ? null : SmppTime.instant(time, Instant.now());
    }

    /** The same message with relative times made absolute: it may wait here before it is sent. */
    public Sms at(Instant now) {
        return new Sms(
                from,
                to,
                content,
                dataCoding,
                esmClass,
                protocolId,
                priority,
                registeredDelivery,
                serviceType,
                absolute(validityPeriod, now),
                absolute(scheduleDeliveryTime, now),
                tlvs);
    }

    private static String absolute(String time, Instant now) {
        return time.isEmpty() ? "" : SmppTime.absolute(SmppTime.instant(time, now));
    }

    /** The content as text; binary content byte by byte. */
    public String text() {
        return Alphabet.of(dataCoding).decode(content);
    }
}
