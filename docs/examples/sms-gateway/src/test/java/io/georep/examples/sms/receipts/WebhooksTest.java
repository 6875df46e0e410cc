package io.georep.examples.sms.receipts;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.examples.sms.Accounts;
import io.georep.examples.sms.Address;
import io.georep.examples.sms.Await;
import io.georep.examples.sms.SmsProperties;
import io.georep.examples.sms.http.WebhookServer;
import io.georep.examples.sms.smpp.Delivered;
import io.georep.model.EntryId;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

final class WebhooksTest {
    private static final Address ANYBODY = Address.parse("+31201234567");
    private static final Route ROUTE = new Route("shop", Route.HTTP, "1", ANYBODY, ANYBODY, (byte) 1, 0, 1);
    private static final Receipt RECEIPT = Receipt.own(ROUTE, MessageState.EXPIRED, Instant.EPOCH);

    private static Set<Thread> threads() {
        return Set.copyOf(Thread.getAllStackTraces().keySet());
    }

    /** Whatever ends it; it is memory that ran out, in practice. */
    @Test
    void aClientWhoseThreadHasEndedIsReplaced() throws Exception {
        try (WebhookServer server = new WebhookServer()) {
            SmsProperties.Account account = new SmsProperties.Account("secret", 1, 0, URI.create(server.url("/")), "");
            Set<Thread> before = threads();
            Webhooks webhooks = new Webhooks(
                    Duration.ofSeconds(Await.SECONDS_MAX),
                    new Accounts(Map.of("shop", account)),
                    JsonMapper.builder().build());
            assertThat(post(webhooks)).isEqualTo(Delivered.TAKEN);
            Thread selector = threads().stream()
                    .filter(each -> !before.contains(each) && each.getName().endsWith("-SelectorManager"))
                    .findAny()
                    .orElseThrow();

            selector.interrupt();
            selector.join();

            assertThat(post(webhooks)).isEqualTo(Delivered.LATER);
            assertThat(post(webhooks)).isEqualTo(Delivered.TAKEN);
        }
    }

    private static Delivered post(Webhooks webhooks) throws InterruptedException {
        return webhooks.post(RECEIPT, ROUTE, EntryId.parse("n1:1:0:1"), false);
    }
}
