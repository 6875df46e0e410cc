package io.georep.examples.sms.smpp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.georep.examples.sms.Address;
import io.georep.examples.sms.MessageId;
import io.georep.examples.sms.Sms;
import io.georep.model.EntryId;
import java.nio.BufferUnderflowException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jsmpp.SMPPConstant;
import org.junit.jupiter.api.Test;

final class SubmitDecoderTest {
    private static final int MESSAGE_PAYLOAD = 0x0424;

    private final SubmitBody submit = new SubmitBody();

    private Sms sms() {
        return SubmitDecoder.sms(pdu());
    }

    private byte[] pdu() {
        byte[] body = submit.bytes();
        byte[] pdu = new byte[16 + body.length];
        System.arraycopy(body, 0, pdu, 16, body.length);
        return pdu;
    }

    /** The operator would repeat it in vain, and the client would get no receipt. */
    @Test
    void takesWhatAnOperatorDeliversWhateverStandsInFieldsThatNobodyNeeds() {
        submit.serviceType = "longer\u00e9";
        submit.source = "\n" + "9".repeat(30);
        submit.destinationTon = 9;
        submit.destination = "";
        submit.schedule = "soon";
        submit.validity = "0";
        submit.replace = 1;
        submit.text = "id:7 stat:DELIVRD";
        for (int i = 0; i < 100; i++) {
            submit.tlv(0x1500 + i, new byte[20]);
        }
        assertThat(status()).isNotZero();

        Sms delivered = SubmitDecoder.delivered(pdu());

        assertThat(delivered.content()).asString().isEqualTo("id:7 stat:DELIVRD");
        assertThat(delivered.tlvs()).hasSize(100);
    }

    private int status() {
        return catchThrowableOfType(SmppStatusException.class, this::sms).status();
    }

    @Test
    void keepsWhatTheOperatorNeeds() {
        submit.dataCoding = 4;
        submit.esmClass = 0x40;
        submit.registeredDelivery = 1;
        submit.validity = "000001000000000R";
        submit.schedule = "991231235959908-";
        submit.tlv(0x020c, (byte) 1, (byte) 2);

        Sms sms = sms();

        assertThat(sms.from()).isEqualTo(new Address("GeoRep", (byte) 5, (byte) 0));
        assertThat(sms.to()).isEqualTo(new Address("31201234567", (byte) 1, (byte) 1));
        assertThat(sms.content()).asString().isEqualTo("hello");
        assertThat(sms.dataCoding()).isEqualTo((byte) 4);
        assertThat(sms.esmClass()).isEqualTo((byte) 0x40);
        assertThat(sms.registeredDelivery()).isEqualTo((byte) 1);
        assertThat(sms.validityPeriod()).isEqualTo("000001000000000R");
        assertThat(sms.scheduleDeliveryTime()).isEqualTo("991231235959908-");
        assertThat(sms.serviceType()).isEmpty();
        assertThat(sms.tlvs()).hasSize(1);
        assertThat(sms.tlvs().get(0).tag()).isEqualTo((short) 0x020c);
        assertThat(sms.tlvs().get(0).value()).containsExactly(1, 2);
    }

    @Test
    void takesLongContentFromThePayload() {
        submit.text = "";
        submit.tlv(MESSAGE_PAYLOAD, "y".repeat(40_000).getBytes(StandardCharsets.US_ASCII));

        assertThat(sms().content()).hasSize(40_000);
        assertThat(sms().tlvs()).isEmpty();
    }

    @Test
    void refusesContentInTwoPlaces() {
        submit.tlv(MESSAGE_PAYLOAD, (byte) 'x');

        assertThat(status()).isEqualTo(SMPPConstant.STAT_ESME_RINVMSGLEN);
    }

    /** Some senders always write this parameter. */
    @Test
    void anEmptyPayloadIsNone() {
        submit.tlv(MESSAGE_PAYLOAD);

        assertThat(sms().content()).asString().isEqualTo("hello");
        assertThat(sms().tlvs()).isEmpty();
        assertThat(SubmitDecoder.delivered(pdu()).content()).asString().isEqualTo("hello");
    }

    /** The operator would repeat it in vain. */
    @Test
    void takesWhatAnOperatorDeliversWhateverFollowsIt() {
        submit.tlv(0x1500, (byte) 7);
        for (int padding = 1; padding <= 9; padding++) {
            byte[] padded = Arrays.copyOf(pdu(), pdu().length + padding);
            // Announces more than is there, if it is long enough for a parameter.
            Arrays.fill(padded, padded.length - padding, padded.length, (byte) 1);

            assertThat(SubmitDecoder.delivered(padded))
                    .usingRecursiveComparison()
                    .isEqualTo(SubmitDecoder.delivered(pdu()));
            assertThatThrownBy(() -> SubmitDecoder.sms(padded)).isInstanceOf(BufferUnderflowException.class);
        }
    }

    /** jSMPP cannot carry as many, and each costs the operator's session its bytes whatever it holds. */
    @Test
    void countsOptionalParametersThatAreEmpty() {
        for (int i = 0; i < 64; i++) {
            submit.tlv(0x1500 + i);
        }
        assertThat(sms().tlvs()).hasSize(64);

        submit.tlv(0x1600);

        assertThat(status()).isEqualTo(0xc0);
    }

    @Test
    void countsTheHeadersOfOptionalParameters() {
        for (int i = 0; i < 5; i++) {
            submit.tlv(0x1500 + i, new byte[200]);
        }
        assertThat(sms().tlvs()).hasSize(5);

        submit.tlv(0x1600);
        submit.tlv(0x1601);

        assertThat(status()).as("4 bytes too many").isEqualTo(0xc4);
    }

    @Test
    void refusesASecondPayload() {
        submit.text = "";
        submit.tlv(MESSAGE_PAYLOAD, (byte) 'x');
        submit.tlv(MESSAGE_PAYLOAD, (byte) 'y');

        assertThat(status()).isEqualTo(0xc0);
    }

    /** It stands before the addresses: a character that takes two bytes on its way out would shift both. */
    @Test
    void refusesAServiceTypeThatIsNotAscii() {
        for (String serviceType : List.of("\u00e9", "A\u0080B", "A\nB", "\u007f")) {
            submit.serviceType = serviceType;
            assertThat(status()).isEqualTo(SMPPConstant.STAT_ESME_RINVSERTYP);
        }
        submit.serviceType = "CMT";
        assertThat(sms().serviceType()).isEqualTo("CMT");
    }

    /** Another gateway may have taken it before such service types were refused. */
    @Test
    void everyStringIsWrittenByteByByteWhereItBelongs() throws Exception {
        byte[] pdu = new AddressBytesComposer()
                .submitSm(
                        1,
                        "\u00e9\u00ff",
                        (byte) 5,
                        (byte) 0,
                        "Caf\u00e9",
                        (byte) 1,
                        (byte) 1,
                        "31201234567",
                        (byte) 0,
                        (byte) 0,
                        (byte) 0,
                        null,
                        null,
                        (byte) 0,
                        (byte) 0,
                        (byte) 0,
                        (byte) 0,
                        new byte[0]);

        assertThat(new String(pdu, 16, pdu.length - 16, StandardCharsets.ISO_8859_1))
                .startsWith("\u00e9\u00ff\0\5\0Caf\u00e9\0\1\1" + "31201234567\0");
    }

    @Test
    void refusesAddressesNoOperatorKnows() {
        submit.destinationTon = 77;
        assertThat(status()).isEqualTo(SMPPConstant.STAT_ESME_RINVDSTADR);

        submit.destinationTon = 1;
        submit.destination = "";
        assertThat(status()).isEqualTo(SMPPConstant.STAT_ESME_RINVDSTADR);
    }

    @Test
    void takesAddressesAsTheBytesTheyAre() {
        submit.source = "Caf\u00e9";

        assertThat(sms().from().number()).isEqualTo("Caf\u00e9");
    }

    @Test
    void shortensIdsThatSmppCannotCarry() {
        String longName = "n".repeat(60);

        assertThat(MessageId.of(EntryId.parse("ams-1:2:0:9"))).isEqualTo("ams-1:2:0:9");
        assertThat(MessageId.of(EntryId.parse(longName + ":2:0:9"))).hasSize(64).endsWith("n:2:0:9");
    }
}
