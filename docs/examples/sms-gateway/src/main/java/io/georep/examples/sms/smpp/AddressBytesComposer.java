package io.georep.examples.sms.smpp;

import java.nio.charset.StandardCharsets;
import java.util.function.ObjIntConsumer;
import org.jsmpp.PDUStringException;
import org.jsmpp.bean.OptionalParameter;
import org.jsmpp.util.DefaultComposer;

/**
 * Writes the service type and addresses byte by byte as ISO 8859-1, the way they were read. jSMPP itself writes them in the
 * default charset of the JVM, which makes two bytes of one that is not ASCII, and shifts what follows.
 */
public final class AddressBytesComposer extends DefaultComposer {
    private static final int HEADER_BYTES = 16;

    private final ObjIntConsumer<OptionalParameter[]> submits;

    /** Tells nobody of submits. */
    public AddressBytesComposer() {
        this((parameters, sequenceNumber) -> {});
    }

    /**
     * Tells of submits before they are sent.
     *
     * @param submits is told their optional parameters and sequence numbers
     */
    public AddressBytesComposer(ObjIntConsumer<OptionalParameter[]> submits) {
        this.submits = submits;
    }

    @Override
    public byte[] submitSm(
            int sequenceNumber,
            String serviceType,
            byte sourceAddrTon,
            byte sourceAddrNpi,
            String sourceAddr,
            byte destAddrTon,
            byte destAddrNpi,
            String destinationAddr,
            byte esmClass,
            byte protocolId,
            byte priorityFlag,
            String scheduleDeliveryTime,
            String validityPeriod,
            byte registeredDelivery,
            byte replaceIfPresentFlag,
            byte dataCoding,
            byte smDefaultMsgId,
            byte[] shortMessage,
            OptionalParameter... optionalParameters)
            throws PDUStringException {
        // The same length in ASCII, to be overwritten in the bytes.
        byte[] pdu = super.submitSm(
                sequenceNumber,
                "x".repeat(serviceType.length()),
                sourceAddrTon,
                sourceAddrNpi,
                "x".repeat(sourceAddr.length()),
                destAddrTon,
                destAddrNpi,
                "x".repeat(destinationAddr.length()),
                esmClass,
                protocolId,
                priorityFlag,
                scheduleDeliveryTime,
                validityPeriod,
                registeredDelivery,
                replaceIfPresentFlag,
                dataCoding,
                smDefaultMsgId,
                shortMessage,
                optionalParameters);
        write(serviceType, sourceAddr, destinationAddr, pdu);
        submits.accept(optionalParameters, sequenceNumber);
        return pdu;
    }

    @Override
    public byte[] deliverSm(
            int sequenceNumber,
            String serviceType,
            byte sourceAddrTon,
            byte sourceAddrNpi,
            String sourceAddr,
            byte destAddrTon,
            byte destAddrNpi,
            String destinationAddr,
            byte esmClass,
            byte protocolId,
            byte priorityFlag,
            byte registeredDelivery,
            byte dataCoding,
            byte[] shortMessage,
            OptionalParameter... optionalParameters)
            throws PDUStringException {
        byte[] pdu = super.deliverSm(
                sequenceNumber,
                "x".repeat(serviceType.length()),
                sourceAddrTon,
                sourceAddrNpi,
                "x".repeat(sourceAddr.length()),
                destAddrTon,
                destAddrNpi,
                "x".repeat(destinationAddr.length()),
                esmClass,
                protocolId,
                priorityFlag,
                registeredDelivery,
                dataCoding,
                shortMessage,
                optionalParameters);
        write(serviceType, sourceAddr, destinationAddr, pdu);
        return pdu;
    }

    private static void write(String serviceType, String sourceAddr, String destinationAddr, byte[] pdu) {
        write(serviceType, pdu, HEADER_BYTES);
        int source = HEADER_BYTES + serviceType.length() + 1 + 2;
        int destination = source + sourceAddr.length() + 1 + 2;
        write(sourceAddr, pdu, source);
        write(destinationAddr, pdu, destination);
    }

    private static void write(String text, byte[] pdu, int at) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        System.arraycopy(bytes, 0, pdu, at, bytes.length);
    }
}
