package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.examples.sms.demo.SmppClient;
import io.georep.examples.sms.smpp.RawSmpp;
import io.georep.examples.sms.smpp.SubmitBody;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.jsmpp.SMPPConstant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a client sets beyond the text arrives at the operator. */
final class CarriedToTheOperatorTest {
    private static Sites sites;

    @BeforeAll
    static void start(@TempDir Path directory) throws IOException {
        sites = Sites.start(2, directory);
    }

    @AfterAll
    static void stop() {
        sites.close();
    }

    private static void submit(SubmitBody body) throws IOException {
        try (RawSmpp raw = RawSmpp.bound(sites.smppPort(0), Sites.ACCOUNT, Sites.PASSWORD)) {
            raw.send(SMPPConstant.CID_SUBMIT_SM, 2, body.bytes());
            assertThat(raw.receive().status()).isZero();
        }
    }

    private static Sms arrived(String text) {
        Await.until("the operator to get '" + text + "'", () -> sites.texts().contains(text));
        return sites.messages().stream()
                .filter(each -> each.text().equals(text))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void partsPortsAndLanguage() throws Exception {
        SubmitBody body = new SubmitBody();
        body.text = "part 2 of 3";
        body.tlv(0x020c, (byte) 0x12, (byte) 0x34)
                .tlv(0x020e, (byte) 3)
                .tlv(0x020f, (byte) 2)
                .tlv(0x020a, (byte) 0x0b, (byte) 0x84)
                .tlv(0x020b, (byte) 0xff, (byte) 0xff)
                .tlv(0x020d, (byte) 1)
                .tlv(0x1501, (byte) 7, (byte) 0, (byte) 9);

        submit(body);

        Map<String, String> tlvs = new HashMap<>();
        arrived(body.text)
                .tlvs()
                .forEach(each -> tlvs.put(
                        HexFormat.of().toHexDigits(each.tag()), HexFormat.of().formatHex(each.value())));
        tlvs.remove("1400");
        assertThat(tlvs)
                .isEqualTo(Map.of(
                        "020c", "1234", "020e", "03", "020f", "02", "020a", "0b84", "020b", "ffff", "020d", "01",
                        "1501", "070009"));
    }

    @Test
    void timesCountedFromTheSubmit() throws Exception {
        SubmitBody body = new SubmitBody();
        body.text = "later";
        body.schedule = "000000010000000R";
        body.validity = "000001000000000R";
        Instant before = Instant.now();

        submit(body);

        Sms sms = arrived(body.text);
        assertThat(SmppTime.instant(sms.scheduleDeliveryTime(), Instant.EPOCH))
                .isBetween(before.plus(Duration.ofMinutes(59)), Instant.now().plus(Duration.ofMinutes(61)));
        assertThat(SmppTime.instant(sms.validityPeriod(), Instant.EPOCH))
                .isBetween(before.plus(Duration.ofMinutes(1439)), Instant.now().plus(Duration.ofMinutes(1441)));
    }

    @Test
    void exceptWhatIsNotValidAnyMore() throws Exception {
        sites.operator().throttle(true);
        try {
            SubmitBody body = new SubmitBody();
            body.text = "only for two seconds";
            body.validity = "000000000002000R";

            submit(body);

            Await.until("the message to expire", () -> sites.count(0, "sms.expired") == 1);
        } finally {
            sites.operator().throttle(false);
        }
        try (SmppClient client = sites.client(0)) {
            client.submit("GeoRep", "+31201234567", "afterwards");
        }
        arrived("afterwards");
        assertThat(sites.texts()).doesNotContain("only for two seconds");
    }
}
