package io.georep.examples.sms.receipts;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.examples.sms.Address;
import io.georep.examples.sms.Sms;
import io.georep.model.EntryId;
import io.georep.outbox.Delivery;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RouteTest {
    private static final EntryId ID = EntryId.parse("n".repeat(64) + ":2:0:9");
    private static final Sms SMS = Sms.text(Address.parse("GeoRep"), Address.parse("+31201234567"), "x", true);

    @SuppressWarnings("unchecked")
    private static Delivery<Sms> delivery(String door) {
        Map<String, String> headers = Map.of(Route.ACCOUNT_HEADER, "client", "door", door);
        Map<String, Object> values = Map.of("payload", SMS, "id", ID, "headers", headers, "enqueuedAt", Instant.EPOCH);
        return (Delivery<Sms>) Proxy.newProxyInstance(
                RouteTest.class.getClassLoader(),
                new Class<?>[] {Delivery.class},
                (proxy, method, arguments) -> values.get(method.getName()));
    }

    @Test
    void carriesTheIdThatTheClientWasTold() {
        assertThat(Route.of(delivery(Route.HTTP), Duration.ZERO).id()).isEqualTo(ID.toString());
        assertThat(Route.of(delivery(Route.SMPP), Duration.ZERO).id())
                .hasSize(64)
                .endsWith("n:2:0:9");
    }
}
