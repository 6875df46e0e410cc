package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;

import com.cloudhopper.smpp.SmppBindType;
import com.cloudhopper.smpp.SmppConstants;
import io.georep.examples.sms.http.WebhookServer;
import io.georep.examples.sms.simulator.OperatorSimulator;
import io.georep.examples.sms.smpp.Delivered;
import io.georep.examples.sms.smpp.OtherClient;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jsmpp.SMPPConstant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Delivery receipts, from any gateway the operator sends them to, to the client that asked for them. */
final class ReceiptsTest {
    private static final List<String> GATEWAYS = List.of("ams", "nyc", "sgp");
    private static final Map<String, String> PASSWORDS =
            Map.of("second", "pw-2", "third", "pw-3", "fourth", "pw-4", "fifth", "pw-5");
    private static final int DELIVERED = 2;
    private static final int ENROUTE = 1;
    private static final int UNDELIVERABLE = 5;

    private static Sites sites;
    private static WebhookServer webhook;

    @BeforeAll
    static void start(@TempDir Path directory) throws IOException {
        webhook = new WebhookServer();
        sites = Sites.start(
                3,
                directory,
                "sms.receipts.match-within=2s",
                "sms.accounts." + Sites.ACCOUNT + ".receipts-url=" + webhook.url("/receipts"),
                "sms.accounts." + Sites.ACCOUNT + ".receipts-secret=hook-secret",
                "sms.accounts.second.password=pw-2",
                "sms.accounts.third.password=pw-3",
                "sms.accounts.fourth.password=pw-4",
                "sms.accounts.fifth.password=pw-5",
                "sms.smpp.deliver-within=2s");
    }

    @AfterAll
    static void stop() {
        sites.close();
        webhook.close();
    }

    private static OtherClient bind(int site, SmppBindType type, String account) throws Exception {
        String password = PASSWORDS.getOrDefault(account, Sites.PASSWORD);
        return new OtherClient(sites.smppPort(site), type, account, password);
    }

    private static OperatorSimulator.Received arrived(String id) {
        Await.until("the operator to get " + id, () -> received(id) != null);
        return received(id);
    }

    private static OperatorSimulator.Received received(String id) {
        return sites.received().stream()
                .filter(each -> each.entryId().equals(id))
                .findFirst()
                .orElse(null);
    }

    private static double count(String outcome) {
        double sum = 0;
        for (int i = 0; i < 3; i++) {
            sum += sites.count(i, "sms.receipts", "outcome", outcome);
        }
        return sum;
    }

    @Test
    void reachTheClientWhicheverGatewayTheOperatorSendsThemTo() throws Exception {
        double awaited = sites.gauge(0, "sms.receipts.awaited");
        try (OtherClient client = bind(0, SmppBindType.TRANSCEIVER, Sites.ACCOUNT)) {
            for (String gateway : GATEWAYS) {
                String id = client.submit("for " + gateway, 1);
                OperatorSimulator.Received message = arrived(id);

                assertThat(sites.operator().receipt(gateway, message, "DELIVRD", DELIVERED))
                        .isTrue();

                OtherClient.Got got = client.await(id, "DELIVRD");
                assertThat(got.text())
                        .isEqualTo("id:" + id + " sub:001 dlvrd:001 submit date:2611221200 done date:2611221201"
                                + " stat:DELIVRD err:000 text:for " + gateway);
                assertThat(got.deliver().getEsmClass()).isEqualTo((byte) 0x04);
                assertThat(got.tlv(SmppConstants.TAG_RECEIPTED_MSG_ID)).isEqualTo(id);
                assertThat(got.tlv(SmppConstants.TAG_MSG_STATE)).isEqualTo("\u0002");
                assertThat(got.deliver().getSourceAddress().getAddress()).isEqualTo("31201234567");
                assertThat(got.deliver().getDestAddress().getAddress()).isEqualTo("GeoRep");
            }
        }
        Await.until("nothing to be awaited", () -> sites.gauge(0, "sms.receipts.awaited") <= awaited);
    }

    @Test
    void waitUntilTheClientIsBoundSomewhere() throws Exception {
        String id;
        try (OtherClient client = bind(0, SmppBindType.TRANSMITTER, "second")) {
            id = client.submit("while I am away", 1);
            assertThat(sites.operator().receipt("nyc", arrived(id), "DELIVRD", DELIVERED))
                    .isTrue();
            Await.until("the receipt to wait", () -> sites.gauge(1, "sms.receipts.waiting") == 1);
            assertThat(client.got()).isEmpty();
        }
        try (OtherClient client = bind(2, SmppBindType.RECEIVER, "second")) {
            client.await(id, "DELIVRD");
        }
    }

    @Test
    void mayBeFasterThanTheAnswerToTheSubmit() throws Exception {
        sites.operator().receipts(true);
        try (OtherClient client = bind(1, SmppBindType.TRANSCEIVER, "third")) {
            List<String> ids = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                ids.add(client.submit("fast " + i, 1));
            }
            for (String id : ids) {
                client.await(id, "DELIVRD");
            }
            assertThat(client.got()).hasSize(ids.size());
        } finally {
            sites.operator().receipts(false);
        }
    }

    @Test
    void areThoseThatWereAskedFor() throws Exception {
        try (OtherClient client = bind(0, SmppBindType.TRANSCEIVER, Sites.ACCOUNT)) {
            String none = client.submit("none", 0);
            String failure = client.submit("failure only", 2);
            String failureThen = client.submit("failure, and it fails", 2);
            String intermediate = client.submit("intermediate, too", 0x11);
            String last = client.submit("last only", 1);
            double before = count("not_wanted");
            for (String id : List.of(none, failure, failureThen, intermediate, last)) {
                OperatorSimulator.Received message = arrived(id);
                sites.operator().receipt("nyc", message, "ENROUTE", ENROUTE);
                if (id.equals(failureThen)) {
                    sites.operator().receipt("nyc", message, "UNDELIV", UNDELIVERABLE);
                } else {
                    sites.operator().receipt("nyc", message, "DELIVRD", DELIVERED);
                }
            }

            client.await(failureThen, "UNDELIV");
            client.await(intermediate, "DELIVRD");
            assertThat(client.await(intermediate, "ENROUTE").deliver().getEsmClass())
                    .isEqualTo((byte) 0x20);
            client.await(last, "DELIVRD");
            Await.until("the others to be dropped", () -> count("not_wanted") >= before + 4);
            assertThat(client.got().stream()
                            .filter(each -> each.id().equals(none) || each.id().equals(failure)))
                    .isEmpty();
            assertThat(client.got().stream().filter(each -> each.stat().equals("ENROUTE")))
                    .hasSize(1);
        }
    }

    @Test
    void thatTheOperatorRepeatsAreDropped() throws Exception {
        double awaited = sites.gauge(0, "sms.receipts.awaited");
        try (OtherClient client = bind(0, SmppBindType.TRANSCEIVER, Sites.ACCOUNT)) {
            String id = client.submit("once", 1);
            OperatorSimulator.Received message = arrived(id);
            sites.operator().receipt("sgp", message, "DELIVRD", DELIVERED);
            client.await(id, "DELIVRD");
            Await.until("the message to be done", () -> sites.gauge(0, "sms.receipts.awaited") <= awaited);
            double before = count("unknown");

            assertThat(sites.operator().receipt("nyc", message, "DELIVRD", DELIVERED))
                    .isTrue();

            Await.until("the repetition to be dropped", () -> count("unknown") > before);
            // Not of this message: a receipt whose client has gone before its answer went out comes again.
            assertThat(client.got()).filteredOn(each -> each.id().equals(id)).hasSize(1);
        }
    }

    @Test
    void areSentAgainWhenTheClientIsBusyAndNotWhenItRefuses() throws Exception {
        try (OtherClient client = bind(2, SmppBindType.TRANSCEIVER, "fourth")) {
            client.answer(SMPPConstant.STAT_ESME_RMSGQFUL);
            String busy = client.submit("busy", 1);
            sites.operator().receipt("sgp", arrived(busy), "DELIVRD", DELIVERED);
            Await.until("a repetition", () -> client.got().size() >= 2);
            client.answer(0);
            double delivered = count("delivered");
            Await.until("the receipt to be taken", () -> count("delivered") > delivered);

            client.answer(SMPPConstant.STAT_ESME_RX_R_APPN);
            String refused = client.submit("refused", 1);
            sites.operator().receipt("sgp", arrived(refused), "DELIVRD", DELIVERED);
            Await.until("the refusal", () -> count("refused") == 1);
            client.answer(0);
        }
    }

    @Test
    void areSentAgainWhenTheClientDoesNotAnswer() throws Exception {
        try (OtherClient client = bind(0, SmppBindType.TRANSCEIVER, "fifth")) {
            client.answer(OtherClient.NOTHING);
            String id = client.submit("read and forgotten", 1);
            sites.operator().receipt("ams", arrived(id), "DELIVRD", DELIVERED);
            Await.until("the first attempt", () -> client.got().size() == 1);
            client.answer(0);

            Await.until("the second attempt", () -> client.got().size() == 2);
        }
    }

    @Test
    void arePostedUntilTheyAreTakenAndNowhereElse() throws Exception {
        double awaited = sites.gauge(0, "sms.receipts.awaited");
        webhook.answers(500, 302);

        HttpResponse<String> response =
                sites.post(0, "{\"from\":\"GeoRep\",\"to\":\"+31201234567\",\"text\":\"posted\",\"receipt\":true}");
        String id = response.body().replaceAll(".*\"id\":\"([^\"]*)\".*", "$1");
        sites.operator().receipt("nyc", arrived(id), "UNDELIV", UNDELIVERABLE);

        Await.until("three posts", () -> webhook.posted().size() == 3);
        List<WebhookServer.Posted> posted = List.copyOf(webhook.posted());
        assertThat(posted).allSatisfy(each -> {
            assertThat(each.path()).isEqualTo("/receipts");
            assertThat(each.key()).isEqualTo(posted.get(0).key()).isNotEmpty();
            assertThat(each.body())
                    .contains("\"id\":\"" + id + "\"", "\"state\":\"UNDELIV\"", "\"last\":true", "\"error\":\"001\"");
            long seconds = Long.parseLong(each.signature().replaceAll("t=(\\d+),.*", "$1"));
            assertThat(each.signature()).isEqualTo(signature("hook-secret", seconds, each.body()));
        });
        Await.until("the message to be done", () -> sites.gauge(0, "sms.receipts.awaited") <= awaited);
    }

    /** As the README tells clients to calculate it. */
    private static String signature(String secret, long seconds, String body) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        byte[] hash = mac.doFinal((seconds + "." + body).getBytes(StandardCharsets.UTF_8));
        return "t=" + seconds + ",v1=" + HexFormat.of().formatHex(hash);
    }

    @Test
    void cannotBePostedNowhere() throws Exception {
        HttpResponse<String> response = sites.post(
                1, "second", "pw-2", "{\"from\":\"GeoRep\",\"to\":\"+31201234567\",\"text\":\"x\",\"receipt\":true}");

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("sms.accounts.second.receipts-url");
    }

    @Test
    void ofOurOwnTellOfMessagesTheOperatorDoesNotGet() throws Exception {
        try (OtherClient client = bind(1, SmppBindType.TRANSCEIVER, Sites.ACCOUNT)) {
            sites.operator().throttle(true);
            String expired = client.submit("two seconds", 2, "000000000002000R");
            OtherClient.Got got;
            try {
                got = client.await(expired, "EXPIRED");
            } finally {
                sites.operator().throttle(false);
            }
            assertThat(got.text()).matches("id:\\S+ sub:001 dlvrd:000 submit date:\\d{10} done date:\\d{10} .*");
            assertThat(received(expired)).isNull();

            sites.operator().refuse(SMPPConstant.STAT_ESME_RINVDSTADR);
            try {
                String rejected = client.submit("to nowhere", 1);
                client.await(rejected, "REJECTD");
            } finally {
                sites.operator().refuse(0);
            }
        }
    }

    @Test
    void areNotWhatElseTheOperatorDelivers() {
        Sms message =
                Sms.text(Address.parse("+31201234567"), Address.parse("12345"), "a message to the gateway", false);
        Sms nonsense = new Sms(
                message.from(),
                message.to(),
                "no receipt at all".getBytes(StandardCharsets.US_ASCII),
                (byte) 0,
                (byte) 4,
                (byte) 0,
                (byte) 0,
                (byte) 0,
                "",
                "",
                "",
                List.of());

        assertThat(sites.operator().deliver("ams", message)).isEqualTo(Delivered.REFUSED);
        assertThat(sites.operator().deliver("ams", nonsense)).isEqualTo(Delivered.REFUSED);
    }
}
