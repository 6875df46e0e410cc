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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RouteTest {
    private static final EntryId ID = EntryId.parse("n".repeat(64) + ":2:0:9");
    private static final Sms SMS = Sms.text(Address.parse("GeoRep"), Address.parse("+31201234567"), "x", true);

    private static Delivery<Sms> delivery(String door) {
        return delivery(door, SMS);
    }

    @SuppressWarnings("unchecked")
    private static Delivery<Sms> delivery(String door, Sms sms) {
        Map<String, String> headers = Map.of(Route.ACCOUNT_HEADER, "client", "door", door);
        Map<String, Object> values = Map.of("payload", sms, "id", ID, "headers", headers, "enqueuedAt", Instant.EPOCH);
        return (Delivery<Sms>) Proxy.newProxyInstance(
                RouteTest.class.getClassLoader(),
                new Class<?>[] {Delivery.class},
                (proxy, method, arguments) -> values.get(method.getName()));
    }

    @Test
    void carriesTheIdThatTheClientWasTold() {
        assertThat(Route.of(delivery(Route.HTTP), Duration.ZERO, Instant.EPOCH).id())
                .isEqualTo(ID.toString());
        assertThat(Route.of(delivery(Route.SMPP), Duration.ZERO, Instant.EPOCH).id())
                .hasSize(64)
                .endsWith("n:2:0:9");
    }

    /** The message may have waited for an operator, or was a dead letter for days. */
    @Test
    void receiptsAreAwaitedFromWhenTheMessageIsForwarded() {
        Instant later = Instant.EPOCH.plus(Duration.ofDays(5));

        Route route = Route.of(delivery(Route.HTTP), Duration.ofDays(2), later);

        assertThat(route.untilMillis()).isEqualTo(later.plus(Duration.ofDays(2)).toEpochMilli());
        assertThat(route.submittedMillis()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "'', '', 1970-01-03T00:00:00Z",
        "300101000000000+, '', 2030-01-03T00:00:00Z",
        "'', 300101000000000+, 2030-01-03T00:00:00Z",
        "300101000000000+, 290101000000000+, 2030-01-03T00:00:00Z"
    })
    void receiptsAreAwaitedUntilTheOperatorMayStillDeliver(String validity, String schedule, Instant until) {
        Sms sms = new Sms(
                SMS.from(),
                SMS.to(),
                SMS.content(),
                SMS.dataCoding(),
                SMS.esmClass(),
                SMS.protocolId(),
                SMS.priority(),
                SMS.registeredDelivery(),
                SMS.serviceType(),
                validity,
                schedule,
                SMS.tlvs());

        assertThat(Route.of(delivery(Route.SMPP, sms), Duration.ofDays(2), Instant.EPOCH)
                        .untilMillis())
                .isEqualTo(until.toEpochMilli());
    }
}
