package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SmsTest {
    private static final Address FROM = Address.parse("GeoRep");
    private static final Address TO = Address.parse("+31201234567");

    @ParameterizedTest
    @ValueSource(strings = {"Hello, world: 1+1=2?", "Grüße", "世界", "a😀b", "price: 5 €", "x@y.z"})
    void keepsTexts(String text) {
        assertThat(Sms.text(FROM, TO, text, false).text()).isEqualTo(text);
    }

    @Test
    void writesTextsInTheShortestAlphabetThatEveryOperatorReads() {
        assertThat(Sms.text(FROM, TO, "plain", false).dataCoding()).isZero();
        assertThat(Sms.text(FROM, TO, "x@y", false).dataCoding()).isEqualTo((byte) 3);
        assertThat(Sms.text(FROM, TO, "€", false).dataCoding()).isEqualTo((byte) 8);
    }

    @Test
    void asksForReceipts() {
        assertThat(Sms.text(FROM, TO, "x", true).registeredDelivery()).isEqualTo((byte) 1);
        assertThat(Sms.text(FROM, TO, "x", false).registeredDelivery()).isZero();
    }

    @Test
    void tellsNumbersFromNames() {
        assertThat(Address.parse("+31201234567")).isEqualTo(new Address("31201234567", (byte) 1, (byte) 1));
        assertThat(Address.parse("12345")).isEqualTo(new Address("12345", (byte) 0, (byte) 1));
        assertThat(Address.parse("Geo Rep")).isEqualTo(new Address("Geo Rep", (byte) 5, (byte) 0));
        assertThat(Address.parse("Geo Rep").isName()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "+", "+1", "12", "+12345678901234567", "1a", "NameTooLong1", "Grüße"})
    void refusesOtherAddresses(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> Address.parse(text)).withMessageContaining("'" + text + "'");
    }
}
