package io.georep.examples.sms.smpp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.georep.examples.sms.Address;
import io.georep.examples.sms.Sms;
import io.georep.model.EntryId;
import org.jsmpp.SMPPConstant;
import org.jsmpp.bean.OptionalParameter;
import org.jsmpp.bean.SubmitSm;
import org.junit.jupiter.api.Test;

final class SubmitConversionTest {
    private final SubmitSm submit = new SubmitSm();

    SubmitConversionTest() {
        submit.setSourceAddr("GeoRep");
        submit.setSourceAddrTon((byte) 5);
        submit.setDestAddress("31201234567");
        submit.setDestAddrTon((byte) 1);
        submit.setDestAddrNpi((byte) 1);
        submit.setShortMessage("hello".getBytes());
        submit.setOptionalParameters();
    }

    private int status() {
        return catchThrowableOfType(SmppStatusException.class, () -> SubmitConversion.sms(submit))
                .status();
    }

    @Test
    void keepsWhatTheOperatorNeeds() {
        submit.setDataCoding((byte) 4);
        submit.setEsmClass((byte) 0x40);
        submit.setRegisteredDelivery((byte) 1);
        submit.setValidityPeriod("000001000000000R");

        Sms sms = SubmitConversion.sms(submit);

        assertThat(sms.from()).isEqualTo(new Address("GeoRep", (byte) 5, (byte) 0));
        assertThat(sms.to()).isEqualTo(new Address("31201234567", (byte) 1, (byte) 1));
        assertThat(sms.content()).asString().isEqualTo("hello");
        assertThat(sms.dataCoding()).isEqualTo((byte) 4);
        assertThat(sms.esmClass()).isEqualTo((byte) 0x40);
        assertThat(sms.registeredDelivery()).isEqualTo((byte) 1);
        assertThat(sms.validityPeriod()).isEqualTo("000001000000000R");
        assertThat(sms.serviceType()).isEmpty();
    }

    @Test
    void takesLongContentFromThePayload() {
        submit.setShortMessage(new byte[0]);
        submit.setOptionalParameters(new OptionalParameter.Message_payload("long".getBytes()));

        assertThat(SubmitConversion.sms(submit).content()).asString().isEqualTo("long");
    }

    @Test
    void refusesContentInTwoPlaces() {
        submit.setOptionalParameters(new OptionalParameter.Message_payload("long".getBytes()));

        assertThat(status()).isEqualTo(SMPPConstant.STAT_ESME_RINVMSGLEN);
    }

    @Test
    void refusesAddressesNoOperatorKnows() {
        submit.setDestAddrTon((byte) 77);
        assertThat(status()).isEqualTo(SMPPConstant.STAT_ESME_RINVDSTADR);

        submit.setDestAddrTon((byte) 1);
        submit.setDestAddress(null);
        assertThat(status()).isEqualTo(SMPPConstant.STAT_ESME_RINVDSTADR);

        submit.setDestAddress("31201234567");
        submit.setSourceAddrNpi((byte) 77);
        assertThat(status()).isEqualTo(SMPPConstant.STAT_ESME_RINVSRCADR);
    }

    @Test
    void shortensIdsThatSmppCannotCarry() {
        String longName = "n".repeat(60);

        assertThat(SmppServer.messageId(EntryId.parse("ams-1:2:0:9"))).isEqualTo("ams-1:2:0:9");
        assertThat(SmppServer.messageId(EntryId.parse(longName + ":2:0:9")))
                .hasSize(64)
                .endsWith("n:2:0:9");
    }
}
