package io.georep.examples.sms.smpp;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.georep.examples.sms.Address;
import io.georep.examples.sms.Sms;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.stream.Stream;
import org.jsmpp.InvalidCommandLengthException;
import org.jsmpp.SMPPConstant;
import org.junit.jupiter.params.provider.MethodSource;

/** Any bytes from a client: each submit is read or refused with a status, anything else is left to the session. */
class SubmitFuzz {
    private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");

    static Stream<byte[]> seeds() {
        SubmitBody timed = new SubmitBody();
        timed.validity = "000001000000000R";
        timed.schedule = "261122100000004+";
        SubmitBody long8 = new SubmitBody().tlv(0x0424, new byte[300]).tlv(0x020c, (byte) 0, (byte) 7);
        long8.text = "";
        long8.dataCoding = 8;
        return Stream.of(
                pdu(SMPPConstant.CID_SUBMIT_SM, new SubmitBody().bytes()),
                pdu(SMPPConstant.CID_SUBMIT_SM, timed.bytes()),
                pdu(SMPPConstant.CID_SUBMIT_SM, long8.bytes()),
                pdu(
                        SMPPConstant.CID_BIND_TRANSCEIVER,
                        "user\0word\0\0\u0034\0\0\0".getBytes(StandardCharsets.US_ASCII)),
                pdu(SMPPConstant.CID_ENQUIRE_LINK, new byte[0]));
    }

    private static byte[] pdu(int command, byte[] body) {
        return ByteBuffer.allocate(16 + body.length)
                .putInt(16 + body.length)
                .putInt(command)
                .putInt(0)
                .putInt(7)
                .put(body)
                .array();
    }

    @MethodSource("seeds")
    @FuzzTest(maxExecutions = 3_000_000, maxDuration = "1h")
    void anyBytes(byte[] input) throws IOException {
        SubmitReader reader = new SubmitReader((number, pdu) -> submit(pdu));
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(input));
        try {
            while (in.available() > 0) {
                reader.readPDU(in, reader.readPDUHeader(in));
            }
        } catch (InvalidCommandLengthException | IOException e) {
            // The session ends.
        }
    }

    private static void submit(byte[] pdu) {
        try {
            Sms sms = SubmitDecoder.sms(pdu);
            Sms absolute = sms.at(NOW);
            assertThat(sms.to().number().length()).isBetween(1, Address.LENGTH_MAX);
            assertThat(absolute.content()).isEqualTo(sms.content());
            assertThat(absolute.at(NOW.plusSeconds(60)).validityPeriod()).isEqualTo(absolute.validityPeriod());
            assertThat(sms.text()).isNotNull();
        } catch (SmppStatusException | BufferUnderflowException e) {
            // Answered with a status.
        }
    }
}
