package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.examples.sms.demo.SmppClient;
import io.georep.examples.sms.http.WebhookServer;
import io.georep.examples.sms.simulator.OperatorSimulator;
import io.georep.funnel.FunnelSettings;
import io.georep.funnel.MapsStatus;
import io.georep.funnel.ReplicatedMaps;
import io.georep.funnel.ViewMaster;
import io.georep.testing.LocalViewMaster;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jsmpp.SMPPConstant;
import org.jsmpp.extra.NegativeResponseException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three gateways that share their accounts and routes, and an administrator who changes them at one of them. */
final class SharedTablesTest {
    private static final String ADMIN = "a-long-password";
    private static final Duration PATIENCE = Duration.ofSeconds(Await.SECONDS_MAX);

    /** What the second operator took. */
    private static final Set<String> SECOND = ConcurrentHashMap.newKeySet();

    /** Whether the gateway at the third site cannot reach the master of views. */
    private static final AtomicBoolean CUT_OFF = new AtomicBoolean();

    private static OperatorSimulator second;
    private static Sites sites;

    @BeforeAll
    static void start(@TempDir Path directory) throws IOException {
        second = OperatorSimulator.open(
                "localhost",
                0,
                List.of("gateway"),
                "secret",
                each -> SECOND.add(each.sms().text()));
        second.receipts(true);
        LocalViewMaster master = LocalViewMaster.of(FunnelSettings.defaults(), "ams-1", "nyc-1", "sgp-1");
        sites = Sites.start(
                3,
                directory,
                (index, context) -> context.registerBean(
                        ViewMaster.Factory.class, () -> index == 2 ? unlessCutOff(master) : master),
                "sms.admin.password=" + ADMIN,
                "sms.operators.second.host=localhost",
                "sms.operators.second.port=" + second.port(),
                "sms.operators.second.password=secret",
                "sms.operators.second.reconnect-min=20ms",
                "sms.routes.44=second");
        for (int i = 0; i < 3; i++) {
            awaitReady(i);
        }
    }

    @AfterAll
    static void stop() {
        sites.close();
        second.close();
    }

    private static ViewMaster.Factory unlessCutOff(ViewMaster.Factory master) {
        return place -> {
            ViewMaster reached = master.create(place);
            return new ViewMaster() {
                @Override
                public CompletionStage<Grant> renew(Renewal renewal) {
                    return CUT_OFF.get() ? new CompletableFuture<>() : reached.renew(renewal);
                }

                @Override
                public void close() {
                    reached.close();
                }
            };
        };
    }

    private static void awaitReady(int site) {
        Await.until("gateway " + site + " to be ready", () -> isStatus(site, "/actuator/health/readiness", 200));
    }

    private static boolean isStatus(int site, String path, int status) {
        try {
            return sites.probe(site, path) == status;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Changes something at all gateways, by way of this one. */
    private static HttpResponse<String> change(int site, String what, String json) throws Exception {
        return sites.manage(site, "POST", "/actuator/sms/" + what, "admin", ADMIN, json);
    }

    private static void changed(int site, String what, String json) throws Exception {
        HttpResponse<String> response = change(site, what, json);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    }

    private static void closed(int site, String what) throws Exception {
        HttpResponse<String> response = sites.manage(site, "DELETE", "/actuator/sms/" + what, "admin", ADMIN, "");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    }

    private static int post(int site, String account, String password, String to, String text) throws Exception {
        return sites.post(
                        site,
                        account,
                        password,
                        "{\"from\":\"GeoRep\",\"to\":\"" + to + "\",\"text\":\"" + text + "\"}")
                .statusCode();
    }

    private static void sent(int site, String to, String text) throws Exception {
        assertThat(post(site, Sites.ACCOUNT, Sites.PASSWORD, to, text)).isEqualTo(202);
    }

    private static SmppClient bind(int site, String account, String password) throws IOException {
        return SmppClient.bind(sites.smppPort(site), account, password, PATIENCE);
    }

    @Test
    void theNextMessageAtAnotherGatewayTakesTheRouteThatWasChanged() throws Exception {
        sent(1, "+31201234567", "before");
        Await.until("the first operator to have it", () -> sites.texts().contains("before"));
        sent(1, "+44201234567", "seeded");
        Await.until("the second operator to have it", () -> SECOND.contains("seeded"));

        changed(0, "routes/31", "{\"operator\":\"second\"}");
        sent(1, "+31201234567", "changed");
        sent(2, "+32201234567", "not changed");
        Await.until("the second operator to have it", () -> SECOND.contains("changed"));
        Await.until("the first operator to have it", () -> sites.texts().contains("not changed"));

        changed(2, "routes/3120", "{\"operator\":\"operator\"}");
        sent(0, "+31201234567", "longer prefix");
        Await.until("the first operator to have it", () -> sites.texts().contains("longer prefix"));

        closed(1, "routes/3120");
        sent(2, "+31201234567", "shorter prefix");
        Await.until("the second operator to have it", () -> SECOND.contains("shorter prefix"));
        closed(0, "routes/31");
        sent(1, "+31201234567", "none");
        Await.until("the first operator to have it", () -> sites.texts().contains("none"));
        assertThat(SECOND).doesNotContain("before", "not changed", "longer prefix", "none");
        assertThat(sites.texts()).doesNotContain("seeded", "changed", "shorter prefix");
    }

    @Test
    void anAccountThatWasClosedAtOneGatewayIsRefusedAtTheOthers() throws Exception {
        changed(0, "accounts/shop", "{\"password\":\"shop-1\",\"sessionsMax\":2}");
        try (SmppClient bound = bind(1, "shop", "shop-1")) {
            bound.submit("GeoRep", "+31201234567", "open");
            assertThat(post(2, "shop", "shop-1", "+31201234567", "open, too")).isEqualTo(202);

            closed(2, "accounts/shop");

            assertThatThrownBy(() -> bind(1, "shop", "shop-1")).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> bind(0, "shop", "shop-1")).isInstanceOf(IOException.class);
            assertThat(post(2, "shop", "shop-1", "+31201234567", "closed")).isEqualTo(401);
            assertThatThrownBy(() -> bound.submit("GeoRep", "+31201234567", "closed"))
                    .isInstanceOfSatisfying(
                            NegativeResponseException.class,
                            refused ->
                                    assertThat(refused.getCommandStatus()).isEqualTo(SMPPConstant.STAT_ESME_RINVSYSID));
        }
        assertThat(change(0, "accounts/shop", "{\"rate\":5}").statusCode())
                .as("it opens with a password only")
                .isEqualTo(400);

        changed(1, "accounts/shop", "{\"password\":\"shop-2\"}");

        assertThat(post(0, "shop", "shop-1", "+31201234567", "old password")).isEqualTo(401);
        assertThat(post(0, "shop", "shop-2", "+31201234567", "new password")).isEqualTo(202);
    }

    /** What the administrator closed does not come back with the settings of a gateway. */
    @Test
    void aGatewayThatRestartsTakesTheTableAndNotItsSettings() throws Exception {
        changed(0, "accounts/late", "{\"password\":\"late-1\"}");
        closed(0, "routes/44");
        try {
            sites.restart(1);
            awaitReady(1);

            assertThat(post(1, "late", "late-1", "+44201234567", "after the restart"))
                    .isEqualTo(202);
            Await.until("the first operator to have it", () -> sites.texts().contains("after the restart"));
        } finally {
            changed(0, "routes/44", "{\"operator\":\"second\"}");
        }
    }

    @Test
    void aGatewayThatIsCutOffGoesOnWithWhatItKnewLast() throws Exception {
        changed(0, "accounts/known", "{\"password\":\"known-1\"}");
        CUT_OFF.set(true);
        try {
            Await.until("the lease to end", () -> !mayRead(2));

            assertThat(post(2, "known", "known-1", "+31201234567", "cut off")).isEqualTo(202);
            bind(2, "known", "known-1").close();
            Await.until("it to be forwarded", () -> sites.texts().contains("cut off"));
            sent(2, "+44201234567", "cut off, too");
            Await.until("the second operator to have it", () -> SECOND.contains("cut off, too"));
            assertThat(sites.probe(2, "/actuator/health/readiness")).isEqualTo(200);
            HttpResponse<String> refused = change(2, "accounts/known", "{\"rate\":5}");
            assertThat(refused.statusCode()).as(refused.body()).isEqualTo(503);

            Await.until("the others to go on without it", () -> isChanged(0, "accounts/known", "{\"rate\":7}"));
            closed(1, "accounts/known");
            assertThat(post(0, "known", "known-1", "+31201234567", "x")).isEqualTo(401);
        } finally {
            CUT_OFF.set(false);
        }
        Await.until("it to be back", () -> mayRead(2));
        assertThat(post(2, "known", "known-1", "+31201234567", "x")).isEqualTo(401);
    }

    private static boolean mayRead(int site) {
        ReplicatedMaps maps = sites.bean(site, ReplicatedMaps.class);
        return maps.status().role() == MapsStatus.Role.SERVING
                && !maps.leaseLeft().isZero();
    }

    private static boolean isChanged(int site, String what, String json) {
        try {
            return change(site, what, json).statusCode() == 200;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Both operators number their messages from 1. */
    @Test
    void receiptsOfTwoOperatorsAreNotMixedUp() throws Exception {
        sites.operator().receipts(true);
        try (WebhookServer webhook = new WebhookServer()) {
            changed(0, "accounts/hooked", "{\"password\":\"hooked-1\",\"receiptsUrl\":\"" + webhook.url("/r") + "\"}");
            Set<String> ids = new HashSet<>();
            for (int i = 0; i < 6; i++) {
                String to = i % 2 == 0 ? "+44201234567" : "+31201234567";
                HttpResponse<String> response = sites.post(
                        i % 3,
                        "hooked",
                        "hooked-1",
                        "{\"from\":\"GeoRep\",\"to\":\"" + to + "\",\"text\":\"r" + i + "\",\"receipt\":true}");
                ids.add(response.body().replaceAll(".*\"id\":\"([^\"]*)\".*", "$1") + " to " + to.substring(1));
            }

            Await.until("all receipts", () -> webhook.posted().size() >= 6);

            assertThat(webhook.posted().stream()
                            .map(each ->
                                    each.body().replaceAll(".*\"id\":\"([^\"]*)\".*\"to\":\"([^\"]*)\".*", "$1 to $2"))
                            .collect(Collectors.toSet()))
                    .isEqualTo(ids);
        } finally {
            sites.operator().receipts(false);
        }
    }

    @Test
    void onlyTheAdministratorSeesThemAndNobodySeesPasswords() throws Exception {
        changed(
                0,
                "accounts/secretive",
                "{\"password\":\"hidden-1\",\"receiptsUrl\":\"https://c.example/r\","
                        + "\"receiptsSecret\":\"hidden-2\"}");

        HttpResponse<String> shown = sites.manage(1, "GET", "/actuator/sms", "admin", ADMIN, "");

        assertThat(shown.statusCode()).isEqualTo(200);
        assertThat(shown.body())
                .contains("secretive", "https://c.example/r", "\"receiptsSigned\":true", "\"44\":\"second\"")
                .doesNotContain("hidden", "digest", "salt", Sites.PASSWORD);
        for (String[] who : new String[][] {{"admin", "wrong"}, {Sites.ACCOUNT, Sites.PASSWORD}, {"", ""}}) {
            HttpResponse<String> refused = sites.manage(1, "GET", "/actuator/sms", who[0], who[1], "");
            assertThat(refused.statusCode()).isEqualTo(401);
            assertThat(refused.body()).doesNotContain("secretive");
            assertThat(refused.headers().firstValue("www-authenticate")).isPresent();
            assertThat(sites.manage(1, "DELETE", "/actuator/sms/accounts/secretive", who[0], who[1], "")
                            .statusCode())
                    .isEqualTo(401);
        }
        assertThat(post(2, "secretive", "hidden-1", "+31201234567", "still open"))
                .isEqualTo(202);
    }

    @Test
    void whatCannotBeIsRefusedWithAReason() throws Exception {
        assertThat(change(0, "routes/31", "{\"operator\":\"third\"}").body()).contains("one of [operator, second]");
        assertThat(change(0, "routes/x", "{\"operator\":\"second\"}").statusCode())
                .isEqualTo(400);
        assertThat(change(0, "accounts/a%20b", "{\"password\":\"p\"}").statusCode())
                .isEqualTo(400);
        assertThat(change(0, "accounts/new", "{}").body()).contains("needs a password");
        assertThat(change(0, "accounts/client", "{\"receiptsUrl\":\"file:///etc/passwd\"}")
                        .body())
                .contains("must be https://HOST/PATH");
        assertThat(change(0, "prices/31", "{}").statusCode()).isEqualTo(404);
        assertThat(sites.manage(0, "DELETE", "/actuator/sms/accounts/none", "admin", ADMIN, "")
                        .statusCode())
                .isEqualTo(404);
    }
}
