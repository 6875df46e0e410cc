package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;

import com.cloudhopper.smpp.SmppBindType;
import io.georep.examples.sms.simulator.OperatorSimulator;
import io.georep.examples.sms.smpp.OtherClient;
import io.georep.examples.sms.talk.GatewayTalk;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Receipts that cannot be given to anybody now leave room for those of others. */
final class ReceiptsOfOthersTest {
    private static final int DELIVERED = 2;
    private static final int MESSAGES = 10;

    /** Receipts of one account. */
    private static final int AT_A_TIME = 8;

    private static final String OFTEN = "georep.outboxes.receipts.retry.delay-max=1s";
    private static final String PATIENT = "georep.protocol.put-timeout=30s";
    private static final String NOT_SUSPICIOUS = "georep.protocol.suspect-after=1m";
    private static final byte[] NO = "{\"yes\":false}".getBytes(StandardCharsets.UTF_8);

    private final AtomicInteger finds = new AtomicInteger();
    private final AtomicInteger bounds = new AtomicInteger();

    /** The third gateway knows nothing. */
    private CompletionStage<byte[]> count(byte[] question) {
        String text = new String(question, StandardCharsets.UTF_8);
        (text.contains("\"FIND\"") ? finds : bounds).incrementAndGet();
        return CompletableFuture.completedFuture(NO);
    }

    private static OtherClient bind(Sites sites, SmppBindType type) throws Exception {
        return new OtherClient(sites.smppPort(0), type, Sites.ACCOUNT, Sites.PASSWORD);
    }

    @Test
    void noGatewayIsAskedAgainWhoseReceiptItIsThatWaits(@TempDir Path directory) throws Exception {
        try (Sites sites = Sites.start(3, directory, OFTEN)) {
            List<String> ids = new ArrayList<>();
            try (OtherClient client = bind(sites, SmppBindType.TRANSMITTER)) {
                for (int i = 0; i < MESSAGES; i++) {
                    ids.add(client.submit("message " + i, 1));
                }
            }
            Await.until("all awaited", () -> sites.gauge(0, "sms.receipts.awaited") == MESSAGES);
            sites.node(2).service(GatewayTalk.class).answerer((from, question) -> count(question));
            for (OperatorSimulator.Received each : sites.received()) {
                sites.operator().receipt("nyc", each, "DELIVRD", DELIVERED);
            }
            Await.until("all to wait", () -> sites.gauge(1, "sms.receipts.waiting") == MESSAGES);
            int before = finds.get();
            int attempts = bounds.get();

            Await.until("more attempts", () -> bounds.get() > attempts + 2);

            assertThat(finds).hasValue(before);
            try (OtherClient client = bind(sites, SmppBindType.RECEIVER)) {
                ids.forEach(id -> client.await(id, "DELIVRD"));
                Await.until("all to be done", () -> sites.gauge(0, "sms.receipts.awaited") == 0);
                assertThat(sites.gauge(1, "sms.receipts.waiting")).isZero();
            }
        }
    }

    @Test
    void onlySoManyWaitThatNobodyAskedFor(@TempDir Path directory) throws Exception {
        try (Sites sites = Sites.start(3, directory, "sms.receipts.waiting-max=10");
                OtherClient client = bind(sites, SmppBindType.TRANSCEIVER)) {
            String id = client.submit("wanted", 1);
            Await.until("it to be awaited", () -> sites.gauge(0, "sms.receipts.awaited") == 1);
            OperatorSimulator.Received wanted = sites.received().element();
            sites.node(2).service(GatewayTalk.class).answerer((from, question) -> new CompletableFuture<>());
            sendOdd(sites, 60);

            Await.until("too many to be dropped", () -> sites.count(1, "sms.receipts", "outcome", "overflow") == 50);

            assertThat(sites.gauge(1, "sms.receipts.waiting")).isEqualTo(10);
            sites.operator().receipt("nyc", wanted, "DELIVRD", DELIVERED);
            client.await(id, "DELIVRD");
            assertThat(sites.count(1, "sms.receipts", "outcome", "overflow")).isEqualTo(50);
        }
    }

    @Test
    void whatNobodyAskedForDoesNotTakeAllCalls(@TempDir Path directory) throws Exception {
        try (Sites sites = Sites.start(3, directory, OFTEN);
                OtherClient client = bind(sites, SmppBindType.TRANSCEIVER)) {
            String id = client.submit("wanted", 1);
            Await.until("it to be awaited", () -> sites.gauge(0, "sms.receipts.awaited") == 1);
            sites.node(2).service(GatewayTalk.class).answerer((from, question) -> {
                finds.incrementAndGet();
                return new CompletableFuture<byte[]>().completeOnTimeout(NO, 1, TimeUnit.SECONDS);
            });
            sendOdd(sites, 300);
            Await.until("all to wait", () -> sites.gauge(1, "sms.receipts.waiting") == 300);
            int before = finds.get();

            sites.operator().receipt("nyc", sites.received().element(), "DELIVRD", DELIVERED);

            client.await(id, "DELIVRD");
            assertThat(finds.get() - before).isLessThan(100);
        }
    }

    /** Each of their calls is held for as long as a client may take; the gateway that they are bound at had 16 threads. */
    @Test
    void slowClientsTakeNothingFromOthersThatAreBoundAtTheirGateway(@TempDir Path directory) throws Exception {
        try (Sites sites = Sites.start(
                        2,
                        directory,
                        PATIENT,
                        NOT_SUSPICIOUS,
                        "sms.smpp.deliver-within=1h",
                        "sms.accounts.slow.password=" + Sites.PASSWORD,
                        "sms.accounts.slower.password=" + Sites.PASSWORD);
                OtherClient slow = bind(sites, "slow");
                OtherClient slower = bind(sites, "slower");
                OtherClient quick = bind(sites, Sites.ACCOUNT)) {
            for (OtherClient each : List.of(slow, slower)) {
                each.answer(OtherClient.NOTHING);
                for (int i = 0; i < AT_A_TIME; i++) {
                    each.submit("slow " + i, 1);
                }
            }
            String id = quick.submit("quick", 1);
            Await.until("all awaited", () -> sites.gauge(0, "sms.receipts.awaited") == 2 * AT_A_TIME + 1);
            receipts(sites, each -> each.sms().text().startsWith("slow"));
            Await.until(
                    "all calls of the slow ones",
                    () -> slow.got().size() + slower.got().size() == 2 * AT_A_TIME);

            receipts(sites, each -> each.sms().text().equals("quick"));

            quick.await(id, "DELIVRD");
        }
    }

    @Test
    void aGatewayWithoutThreadsTakesNoRoomForThoseThatWait(@TempDir Path directory) throws Exception {
        try (Sites sites = Sites.start(2, directory, OFTEN, PATIENT, NOT_SUSPICIOUS, "sms.receipts.waiting-max=1")) {
            try (OtherClient client = bind(sites, SmppBindType.TRANSMITTER)) {
                for (int i = 0; i < AT_A_TIME; i++) {
                    client.submit("message " + i, 1);
                }
            }
            Await.until("all awaited", () -> sites.gauge(0, "sms.receipts.awaited") == AT_A_TIME);
            AtomicInteger delivers = new AtomicInteger();
            AtomicBoolean busy = new AtomicBoolean(true);
            GatewayTalk.Answerer desk = (from, question) -> {
                String text = new String(question, StandardCharsets.UTF_8);
                boolean deliver = text.contains("\"DELIVER\"");
                delivers.addAndGet(deliver ? 1 : 0);
                String answer = deliver && !busy.get() ? "{\"yes\":true,\"outcome\":\"TAKEN\"}" : "{\"yes\":true}";
                return CompletableFuture.completedFuture(answer.getBytes(StandardCharsets.UTF_8));
            };
            sites.node(1).service(GatewayTalk.class).answerer(desk);
            sites.received().forEach(each -> sites.operator().receipt("ams", each, "DELIVRD", DELIVERED));
            Await.until("attempts", () -> delivers.get() > 3 * AT_A_TIME);
            assertThat(sites.gauge(0, "sms.receipts.waiting")).isZero();

            busy.set(false);

            Await.until("all to be taken", () -> sites.count(0, "sms.receipts", "outcome", "delivered") == AT_A_TIME);
            assertThat(sites.count(0, "sms.receipts", "outcome", "overflow")).isZero();
        }
    }

    /** It may be in the settings of one gateway after the other: its receipts were dropped at those that come later. */
    @Test
    void anAccountThatOnlyOtherGatewaysKnowGetsItsReceipts(@TempDir Path directory) throws Exception {
        try (Sites sites = Sites.start(
                        2,
                        directory,
                        OFTEN,
                        "sms.accounts.of-{site}.password=" + Sites.PASSWORD,
                        "sms.accounts.of-{site}.receipts-url=http://localhost:1/");
                OtherClient client = bind(sites, "of-ams")) {
            String id = client.submit("submitted", 1);
            sites.post(
                    0,
                    "of-ams",
                    Sites.PASSWORD,
                    "{\"from\": \"GeoRep\", \"to\": \"+31201234567\", \"text\": \"posted\", \"receipt\": true}");
            Await.until("both awaited", () -> sites.gauge(0, "sms.receipts.awaited") == 2);

            receipts(sites, each -> true);

            client.await(id, "DELIVRD");
            Await.until("the other to wait", () -> sites.gauge(1, "sms.receipts.waiting") == 1);
            Await.until("it to be counted", () -> sites.count(1, "sms.receipts", "outcome", "delivered") == 1);
            assertThat(sites.count(1, "sms.receipts")).isEqualTo(1);
        }
    }

    private static OtherClient bind(Sites sites, String account) throws Exception {
        return new OtherClient(sites.smppPort(0), SmppBindType.TRANSCEIVER, account, Sites.PASSWORD);
    }

    private static void receipts(Sites sites, Predicate<OperatorSimulator.Received> which) {
        sites.received().stream()
                .filter(which)
                .forEach(each -> sites.operator().receipt("nyc", each, "DELIVRD", DELIVERED));
    }

    private static void sendOdd(Sites sites, int number) {
        OperatorSimulator.Received wanted = sites.received().element();
        for (int i = 0; i < number; i++) {
            OperatorSimulator.Received odd = new OperatorSimulator.Received("odd/" + i, "", wanted.sms(), false);
            assertThat(sites.operator().receipt("nyc", odd, "DELIVRD", DELIVERED))
                    .isTrue();
        }
    }
}
