package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The profile "shared" as it is, whose gateways decide over the views themselves. */
@Tag("servers")
final class SharedProfileTest {
    private static final String ADMIN = "a-long-password";
    private static final String MESSAGE = "{\"from\":\"GeoRep\",\"to\":\"+31201234567\",\"text\":\"x\"}";

    @Test
    void gatewaysOfThisProfileShareTheirAccounts(@TempDir Path directory) throws Exception {
        try (Sites sites = Sites.start(
                3,
                directory,
                "spring.profiles.active={site},shared",
                "georep.strict=true",
                "sms.admin.password=" + ADMIN)) {
            for (int i = 0; i < 3; i++) {
                int site = i;
                Await.until("gateway " + site + " to be ready", () -> isReady(sites, site));
            }
            assertThat(change(sites, 0, "POST", "{\"password\":\"shop-1\"}")).isEqualTo(200);
            assertThat(sites.post(2, "shop", "shop-1", MESSAGE).statusCode()).isEqualTo(202);

            assertThat(change(sites, 1, "DELETE", "")).isEqualTo(200);
            assertThat(sites.post(2, "shop", "shop-1", MESSAGE).statusCode()).isEqualTo(401);
        }
    }

    private static int change(Sites sites, int site, String method, String json) throws Exception {
        return sites.manage(site, method, "/actuator/sms/accounts/shop", "admin", ADMIN, json)
                .statusCode();
    }

    private static boolean isReady(Sites sites, int site) {
        try {
            return sites.probe(site, "/actuator/health/readiness") == 200;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
