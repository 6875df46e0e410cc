package io.georep.examples.sms.receipts;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.examples.sms.Address;
import io.georep.examples.sms.MessageId;
import io.georep.examples.sms.Sms;
import io.georep.examples.sms.Tlv;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ReceiptTest {
    private static final String TEXT = "id:0123abc sub:001 dlvrd:001 submit date:2611221200 done date:2611221201"
            + " stat:UNDELIV err:042 text:Hello: you";
    private static final Address FROM = Address.parse("+31201234567");
    private static final Address TO = Address.parse("GeoRep");

    private static Sms deliver(int esmClass, String text, Tlv... tlvs) {
        return new Sms(
                FROM,
                TO,
                text.getBytes(StandardCharsets.ISO_8859_1),
                (byte) 0,
                (byte) esmClass,
                (byte) 0,
                (byte) 0,
                (byte) 0,
                "",
                "",
                "",
                List.of(tlvs));
    }

    private static Route route(int registeredDelivery) {
        return new Route("client", Route.SMPP, "x".repeat(64), TO, FROM, (byte) registeredDelivery, 0, 0);
    }

    @Test
    void isReadFromItsText() {
        Receipt receipt = Receipt.of(deliver(4, TEXT));

        assertThat(receipt)
                .usingRecursiveComparison()
                .isEqualTo(new Receipt(
                        "0123abc",
                        null,
                        false,
                        MessageState.UNDELIVERABLE,
                        "001",
                        "001",
                        "2611221200",
                        "2611221201",
                        "042",
                        "Hello: you",
                        new byte[0]));
    }

    /** Whoever writes the message decides about the end of the text. */
    @Test
    void theTextOfTheMessageReplacesNoFieldBeforeIt() {
        String forged = " sub:002 dlvrd:002 submit date:1 done date:2 stat:DELIVRD err:000 text:other";

        Receipt receipt = Receipt.of(deliver(4, TEXT.replace(": you", "") + forged));

        assertThat(receipt).usingRecursiveComparison().isEqualTo(Receipt.of(deliver(4, TEXT.replace(": you", ""))));
        assertThat(Receipt.of(deliver(4, TEXT + "\nid:9")).operatorId()).isEqualTo("0123abc");
    }

    @Test
    void isReadFromItsOptionalParametersFirst() {
        Receipt receipt = Receipt.of(deliver(
                0,
                "whatever",
                new Tlv(Receipt.RECEIPTED_MESSAGE_ID, "77\0".getBytes(StandardCharsets.US_ASCII)),
                new Tlv(Receipt.MESSAGE_STATE, new byte[] {2}),
                new Tlv(Receipt.NETWORK_ERROR_CODE, new byte[] {3, 0, 9})));

        assertThat(receipt).isNotNull();
        assertThat(receipt.operatorId()).isEqualTo("77");
        assertThat(receipt.state()).isEqualTo(MessageState.DELIVERED);
        assertThat(receipt.toDeliver(route(1), false).tlvs())
                .anySatisfy(each -> assertThat(each.value()).containsExactly(3, 0, 9));
    }

    @Test
    void isNotWithoutIdOrState() {
        assertThat(Receipt.of(deliver(0, TEXT)))
                .as("a message that looks like one")
                .isNull();
        assertThat(Receipt.of(deliver(4, "stat:DELIVRD"))).isNull();
        assertThat(Receipt.of(deliver(4, "id:7 stat:NONSENSE"))).isNull();
        assertThat(Receipt.of(deliver(4, "id:7 stat:delivrd"))).isNotNull();
        assertThat(Receipt.of(deliver(4, " ".repeat(60_000)))).isNull();
    }

    @Test
    void fitsIntoAShortMessageWhateverTheOperatorWrites() {
        String longest = "y".repeat(250);
        Receipt receipt = Receipt.of(deliver(
                4,
                "id:7 sub:" + longest + " dlvrd:" + longest + " submit date:" + longest + " done date:" + longest
                        + " stat:DELIVRD err:" + longest + " text:" + longest));

        assertThat(receipt).isNull();
        receipt = Receipt.of(deliver(4, TEXT.replace("042", "y".repeat(100)).replace("Hello", "y".repeat(100))));
        assertThat(receipt).isNotNull();
        assertThat(receipt.toDeliver(route(1), true).content()).hasSizeLessThan(255);
    }

    @Test
    void marksWhatMayBeARepetition() {
        Receipt receipt = Receipt.of(deliver(4, TEXT));

        assertThat(receipt).isNotNull();
        assertThat(receipt.toDeliver(route(1), true).tlvs()).anyMatch(each -> each.tag() == 0x1401);
        assertThat(receipt.toDeliver(route(1), false).tlvs()).noneMatch(each -> each.tag() == 0x1401);
    }

    @ParameterizedTest
    @CsvSource({
        "0, false, false, false",
        "1, true, true, false",
        "2, false, true, false",
        "3, true, false, false",
        "16, false, false, true",
        "17, true, true, true",
        "18, false, true, true"
    })
    void isWantedAsRegisteredDeliverySays(int registered, boolean success, boolean failure, boolean intermediate) {
        Route route = route(registered);

        assertThat(route.wants(MessageState.DELIVERED)).isEqualTo(success);
        assertThat(route.wants(MessageState.EXPIRED)).isEqualTo(failure);
        assertThat(route.wants(MessageState.REJECTED)).isEqualTo(failure);
        assertThat(route.wants(MessageState.ENROUTE)).isEqualTo(intermediate);
        assertThat(route.wants(MessageState.ACCEPTED)).isEqualTo(intermediate);
    }

    /** The gateway would await no other, and drop the last one. */
    @Test
    void whatTheOperatorCallsIntermediateIsNotTheLastInWhateverState() {
        Receipt receipt = Receipt.of(deliver(0x20, TEXT));

        assertThat(receipt).isNotNull();
        assertThat(receipt.state()).isEqualTo(MessageState.UNDELIVERABLE);
        assertThat(receipt.last()).isFalse();
        assertThat(receipt.isWantedBy(route(1))).isFalse();
        assertThat(receipt.isWantedBy(route(17))).isTrue();
        assertThat(Receipt.of(deliver(4, TEXT)).last()).isTrue();
        assertThat(Receipt.of(deliver(4, TEXT)).isWantedBy(route(1))).isTrue();
        assertThat(Receipt.of(deliver(4, TEXT.replace("UNDELIV", "ENROUTE"))).last())
                .isFalse();
    }

    /** It would end what others wait for, or tell a lie of it. */
    @Test
    void theFirstOperatorCannotTellOfMessagesOfAnother() {
        String others = Receipt.idOf("second", "123");
        Receipt told = Receipt.of(deliver(4, "id:" + others + " stat:DELIVRD"));
        Receipt usual = Receipt.of(deliver(4, "id:123 stat:DELIVRD"));

        assertThat(told.from("").operatorId())
                .isNotEqualTo(others)
                .as("as it is awaited")
                .isEqualTo(Receipt.idOf("", others));
        assertThat(usual.from("").operatorId()).isEqualTo("123");
        assertThat(usual.from("second").operatorId()).isEqualTo(others);
    }

    /** Else no other gateway could be asked about it: a question has a limit, and the account would be blamed for it. */
    @Test
    void whatTheOperatorMakesTooLongIsBounded() {
        Receipt receipt = Receipt.of(deliver(
                4,
                TEXT,
                new Tlv(Receipt.RECEIPTED_MESSAGE_ID, "7".repeat(20_000).getBytes(StandardCharsets.US_ASCII)),
                new Tlv(Receipt.NETWORK_ERROR_CODE, new byte[20_000])));

        assertThat(receipt).isNotNull();
        assertThat(receipt.operatorId())
                .as("as much as is kept of the id in the answer to a submit")
                .isEqualTo("7".repeat(MessageId.LENGTH_MAX));
        assertThat(receipt.networkError()).as("it has three bytes").isEmpty();
    }
}
