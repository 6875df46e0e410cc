package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.georep.examples.sms.credit.Credit;
import io.georep.examples.sms.credit.HeldMessages;
import io.georep.examples.sms.demo.SmppClient;
import io.georep.examples.sms.simulator.OperatorSimulator;
import io.georep.model.NodeId;
import io.georep.outbox.Outbox;
import io.georep.spi.TransportFactory;
import io.georep.spring.Outboxes;
import io.georep.testing.LocalNetwork;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jsmpp.SMPPConstant;
import org.jsmpp.extra.NegativeResponseException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three gateways with a prepaid account, and what goes wrong between the message, its payment and the operator. */
final class CreditTest {
    private static final String ADMIN = "a-long-password";
    private static final String SHOP = "shop";
    private static final String PASSWORD = "shop-1";
    private static final String NOT_PREPAID = "not prepaid";

    private final LocalNetwork network = new LocalNetwork();
    private Sites sites;

    @TempDir
    Path directory;

    private void start(String... properties) throws Exception {
        List<String> all = new ArrayList<>(List.of(
                "spring.profiles.active={site},credit",
                "sms.admin.password=" + ADMIN,
                "sms.accounts.shop.password=" + PASSWORD,
                "sms.accounts.shop.prepaid=true",
                "sms.credit.check-after=1s",
                "georep.ordered-maps.lease=500ms",
                "georep.ordered-maps.timeout=1s"));
        all.addAll(List.of(properties));
        sites = Sites.start(
                3,
                directory,
                (index, context) -> context.registerBean(TransportFactory.class, network::transports),
                all.toArray(String[]::new));
        for (int site = 0; site < 3; site++) {
            int each = site;
            Await.until("gateway " + site + " to know that it can reserve", () -> status(each, "no credit") == 402);
        }
    }

    @AfterEach
    void stop() {
        network.heal();
        if (sites != null) {
            sites.close();
        }
    }

    private record Shown(long toppedUp, long free, long reserved, long spent) {}

    private HttpResponse<String> credit(int site, String method, String json) throws Exception {
        return sites.manage(site, method, "/actuator/credit/" + SHOP, "admin", ADMIN, json);
    }

    /** Not while a leader is being elected. */
    private boolean isAnswered(int site) {
        try {
            return credit(site, "GET", "").statusCode() == 200;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** What an administrator sees; each look must be possible and right in itself. */
    private Shown shown(int site) {
        try {
            HttpResponse<String> response = credit(site, "GET", "");
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            Shown shown = new Shown(
                    number(response.body(), "toppedUp"),
                    number(response.body(), "free"),
                    number(response.body(), "reserved"),
                    number(response.body(), "spent"));
            assertThat(shown.free).isNotNegative();
            assertThat(shown.free + shown.reserved + shown.spent).isEqualTo(shown.toppedUp);
            return shown;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static long number(String json, String name) {
        Matcher matcher = Pattern.compile("\"" + name + "\":(-?\\d+)").matcher(json);
        assertThat(matcher.find()).as(json).isTrue();
        return Long.parseLong(matcher.group(1));
    }

    private void topUp(int site, long parts) throws Exception {
        HttpResponse<String> response = credit(site, "POST", "{\"parts\":" + parts + ",\"toppedUp\":0}");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    }

    private HttpResponse<String> post(int site, String text) throws Exception {
        return sites.post(
                site, SHOP, PASSWORD, "{\"from\":\"GeoRep\",\"to\":\"+31201234567\",\"text\":\"" + text + "\"}");
    }

    private void awaitShown(Shown expected) {
        Await.until("the credit to be " + expected, () -> isAnswered(0) && shown(0).equals(expected));
    }

    /** Each prepaid message that the operator has was paid once, and no other. */
    private void awaitEnds(int site) {
        Await.until("all to have ended", () -> {
            if (!isAnswered(site)) {
                return false;
            }
            Shown shown = shown(site);
            long arrived = sites.received().stream()
                    .filter(each -> !each.sms().text().equals(NOT_PREPAID))
                    .map(OperatorSimulator.Received::entryId)
                    .distinct()
                    .count();
            return shown.reserved == 0 && shown.spent == arrived;
        });
    }

    private int status(int site, String text) {
        try {
            return post(site, text).statusCode();
        } catch (Exception e) {
            return 0;
        }
    }

    @Test
    void whatOneGatewayReservesIsMissingAtTheOthersAndIsSpentWhenTheOperatorHasIt() throws Exception {
        start();
        assertThat(status(0, "no credit")).isEqualTo(402);
        topUp(1, 4);
        assertThat(credit(2, "POST", "{\"parts\":4,\"toppedUp\":0}").statusCode())
                .as("repeated")
                .isEqualTo(409);
        sites.operator().throttle(true);

        assertThat(post(0, "one").statusCode()).isEqualTo(202);
        assertThat(post(1, "x".repeat(161)).statusCode()).isEqualTo(202);
        assertThat(shown(2)).isEqualTo(new Shown(4, 1, 3, 0));
        assertThat(post(2, "x".repeat(161)).statusCode()).isEqualTo(402);
        try (SmppClient client =
                SmppClient.bind(sites.smppPort(2), SHOP, PASSWORD, Duration.ofSeconds(Await.SECONDS_MAX))) {
            client.submit("GeoRep", "+31201234567", "by SMPP");
            NegativeResponseException refused = catchThrowableOfType(
                    NegativeResponseException.class, () -> client.submit("GeoRep", "+31201234567", "too much"));
            assertThat(refused.getCommandStatus()).isEqualTo(SMPPConstant.STAT_ESME_RSUBMITFAIL);
        }
        sites.operator().throttle(false);

        awaitShown(new Shown(4, 0, 0, 4));
        assertThat(sites.manage(1, "GET", "/actuator/credit", "admin", ADMIN, "")
                        .body())
                .isEqualTo("{\"shop\":{\"free\":0,\"reserved\":0,\"spent\":4,\"toppedUp\":4}}");
        assertThat(sites.manage(1, "GET", "/actuator/credit", "admin", "guess", "")
                        .statusCode())
                .isEqualTo(401);
        assertThat(sites.texts()).contains("one", "by SMPP").doesNotContain("no credit", "too much");
        assertThat(sites.post(0, "{\"from\":\"GeoRep\",\"to\":\"+31201234567\",\"text\":\"not prepaid\"}")
                        .statusCode())
                .isEqualTo(202);
        Await.until("it to be sent", () -> sites.texts().contains(NOT_PREPAID));
        assertThat(shown(1)).isEqualTo(new Shown(4, 0, 0, 4));
    }

    @Test
    void whatTheOperatorRefusesForGoodIsGivenBack() throws Exception {
        start();
        topUp(0, 2);
        sites.operator().refuse(SMPPConstant.STAT_ESME_RINVDSTADR);
        assertThat(post(1, "refused").statusCode()).isEqualTo(202);
        Await.until("it to be given back", () -> sites.count(1, "sms.credit", "outcome", "given_back") == 1);

        assertThat(shown(0)).isEqualTo(new Shown(2, 2, 0, 0));
    }

    /** Messages wait in a gateway that dies; others send them, and each is paid once. */
    @Test
    void messagesOfADeadGatewayArePaidOnce() throws Exception {
        start();
        topUp(0, 100);
        sites.operator().throttle(true);
        Set<String> acknowledged = new TreeSet<>();
        for (int i = 0; i < 20; i++) {
            assertThat(post(2, "m" + i).statusCode()).isEqualTo(202);
            acknowledged.add("m" + i);
        }
        sites.crash(2);
        Await.until("adoptions", () -> sites.count(0, "sms.adopted") + sites.count(1, "sms.adopted") > 0);
        sites.operator().throttle(false);

        Await.until("all messages at the operator", () -> sites.texts().containsAll(acknowledged));
        awaitShown(new Shown(100, 80, 0, 20));
    }

    /** A gateway dies after the copy of one message, and after the payment of another, which its client may know as taken. */
    @Test
    void aMessageWhosePaymentNobodyKnowsIsSentOnlyIfItIsPaid() throws Exception {
        start();
        topUp(0, 10);
        hold("unpaid", false);
        hold("paid", true);
        sites.crash(2);

        awaitShown(new Shown(10, 9, 0, 1));
        Await.until("the other one to be withdrawn", () -> ended("withdrawn") >= 1 && ended("found_paid") == 1);
        assertThat(sites.texts()).containsExactly("paid");
    }

    private double ended(String outcome) {
        return sites.count(0, "sms.credit", "outcome", outcome) + sites.count(1, "sms.credit", "outcome", outcome);
    }

    private void hold(String text, boolean isPaid) throws Exception {
        Outbox<Sms> outbox = sites.bean(2, Outboxes.class).outbox(SmsIntake.QUEUE, Sms.class);
        HeldMessages.hold(outbox, sites.bean(2, Credit.class), SHOP, text, isPaid);
    }

    /** The gateway that took them lives on, or is back. */
    @Test
    void aGatewaySettlesItsOwnMessages() throws Exception {
        start();
        topUp(0, 10);
        hold("unpaid", false);
        hold("paid", true);
        Await.until("both to be settled", () -> sites.count(2, "sms.credit") >= 2);
        awaitShown(new Shown(10, 9, 0, 1));

        hold("unpaid", false);
        hold("paid again", true);
        sites.restart(2);
        awaitShown(new Shown(10, 8, 0, 2));
        assertThat(sites.texts()).containsExactlyInAnyOrder("paid", "paid again");
    }

    /** Messages get their copies, but the maps have only one of two voters. */
    @Test
    void whileNothingCanBeReservedPrepaidMessagesAreRefusedAndOthersAreNot() throws Exception {
        start("georep.ordered-maps.groups[0]=ams-1,nyc-1", "georep.ordered-maps.replicas=sgp-1");
        topUp(0, 10);
        sites.crash(1);
        Await.until("the gateways to know", () -> status(0, "refused") == 503 && status(2, "refused") == 503);

        HttpResponse<String> refused = post(2, "refused");
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(503);
        assertThat(refused.body()).contains("to reserve credit");
        assertThat(refused.headers().firstValue("retry-after")).isPresent();
        assertThat(credit(0, "GET", "").statusCode()).isEqualTo(503);
        assertThat(sites.post(0, "{\"from\":\"GeoRep\",\"to\":\"+31201234567\",\"text\":\"not prepaid\"}")
                        .statusCode())
                .isEqualTo(202);
        Await.until("it to be sent", () -> sites.texts().contains(NOT_PREPAID));

        sites.restart(1);
        Await.until("the gateway to go on", () -> status(0, "paid") == 202);
        awaitEnds(0);
    }

    /** The leader of the maps is out of reach for the gateway that took the message. */
    @Test
    void aPaymentWithoutAnAnswerIsFoundOut() throws Exception {
        start();
        topUp(0, 10);
        assertThat(post(2, "before").statusCode()).isEqualTo(202);
        network.cut(NodeId.of("ams-1"), NodeId.of("sgp-1"));
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            statuses.add(post(2, "cut" + i).statusCode());
        }
        network.heal();

        awaitEnds(2);
        assertThat(statuses).allMatch(status -> Set.of(202, 503, 504).contains(status));
        assertThat(shown(0).spent)
                .isGreaterThanOrEqualTo(
                        1 + statuses.stream().filter(each -> each == 202).count());
    }
}
