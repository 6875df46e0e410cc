package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.examples.sms.demo.SmppClient;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A gateway dies with messages it acknowledged and did not forward. */
final class AdoptionTest {
    private static final int MESSAGES = 50;

    @Test
    void othersForwardWhatADeadGatewayAcknowledged(@TempDir Path directory) throws Exception {
        try (Sites sites = Sites.start(3, directory)) {
            sites.operator().throttle(true);
            Set<String> acknowledged = new TreeSet<>();
            try (SmppClient client = sites.client(0)) {
                for (int i = 0; i < MESSAGES; i++) {
                    String text = "message " + i;
                    client.submit("GeoRep", "+31201234567", text);
                    acknowledged.add(text);
                }
            }
            assertThat(sites.texts()).isEmpty();

            sites.crash(0);
            Await.until("adoptions", () -> sites.count(1, "sms.adopted") + sites.count(2, "sms.adopted") > 0);
            sites.operator().throttle(false);

            Await.until("all messages at the operator", () -> sites.texts().containsAll(acknowledged));
            double adopted = sites.count(1, "sms.adopted") + sites.count(2, "sms.adopted");
            assertThat(adopted).isPositive();
        }
    }
}
