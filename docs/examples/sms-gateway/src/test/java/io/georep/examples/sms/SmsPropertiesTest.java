package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** There is no default password: without accounts the gateway does not start. */
final class SmsPropertiesTest {
    private static final String ACCOUNT = "sms.accounts.client.password";
    private static final String OPERATOR = "sms.operator.password";

    private static SmsProperties bind(Map<String, String> settings) {
        return new Binder(new MapConfigurationPropertySource(settings)).bindOrCreate("sms", SmsProperties.class);
    }

    private static String refusal(Map<String, String> settings) {
        Throwable cause = catchThrowable(() -> bind(settings));
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.getMessage();
    }

    @Test
    void doNotStartWithoutPasswords() {
        assertThat(refusal(Map.of(OPERATOR, "o"))).contains("SMS_ACCOUNTS_CLIENT_PASSWORD");
        assertThat(refusal(Map.of(OPERATOR, "o", "sms.accounts.client.rate", "5")))
                .contains("Set sms.accounts.client.password");
        assertThat(refusal(Map.of(ACCOUNT, "c"))).contains("SMS_OPERATOR_PASSWORD");
        assertThat(refusal(Map.of(OPERATOR, "o", "sms.accounts.[a name with spaces].password", "c")))
                .contains("'a name with spaces'");
    }

    @Test
    void nameOperatorsThatThereAre() {
        Map<String, String> both = Map.of(ACCOUNT, "c", OPERATOR, "o");
        assertThat(refusal(with(both, "sms.routes.31", "second"))).contains("set sms.operators.second");
        assertThat(refusal(with(both, "sms.routes.x", "operator"))).contains("no prefix of a number");
        assertThat(refusal(with(both, "sms.operators.second.host", "h"))).contains("Set sms.operators.second.password");
        assertThat(refusal(with(both, "sms.operators.operator.password", "p"))).contains("not 'operator'");
        assertThat(refusal(with(with(both, "sms.operators.second.password", "p"), "sms.operators.second.window", "0")))
                .contains("window");
        assertThat(refusal(with(both, "sms.admin.password", "short"))).contains("take 12 or more");
        assertThat(bind(with(both, "sms.routes.[*]", "operator")).routes()).containsEntry("*", "operator");
    }

    /** A gateway does not hear more questions of another at a time than it counts. */
    @Test
    void boundTheCallsOfReceipts() {
        Map<String, String> both = Map.of(ACCOUNT, "c", OPERATOR, "o");
        assertThat(refusal(with(both, "sms.receipts.concurrency", "251"))).contains("sms.receipts.concurrency");
        assertThat(refusal(with(both, "sms.receipts.concurrency", "0"))).contains("sms.receipts.concurrency");
        assertThat(bind(with(both, "sms.receipts.concurrency", "250"))
                        .receipts()
                        .concurrency())
                .isEqualTo(250);
    }

    /** Nothing could be posted there, and each receipt would wait for a day. */
    @Test
    void postReceiptsToAPortThatThereIs() {
        Map<String, String> both = Map.of(ACCOUNT, "c", OPERATOR, "o");
        String url = "sms.accounts.client.receipts-url";
        assertThat(refusal(with(both, url, "http://localhost:65536/"))).contains("receipts-url", "port 65536");
        assertThat(refusal(with(both, url, "http://localhost:0/"))).contains("receipts-url", "port 0");
        for (String port : List.of("", ":1", ":65535")) {
            assertThat(bind(with(both, url, "http://localhost" + port + "/"))
                            .accounts()
                            .get("client")
                            .receiptsUrl())
                    .hasToString("http://localhost" + port + "/");
        }
    }

    private static Map<String, String> with(Map<String, String> settings, String key, String value) {
        Map<String, String> more = new LinkedHashMap<>(settings);
        more.put(key, value);
        return more;
    }

    @Test
    void doNotShowPasswords() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put(ACCOUNT, "hidden-1");
        settings.put(OPERATOR, "hidden-2");
        settings.put("sms.accounts.client.rate", "5");

        SmsProperties properties = bind(settings);

        assertThat(properties.toString()).contains("rate 5").doesNotContain("hidden");
        assertThat(properties.accounts().get("client").password()).isEqualTo("hidden-1");
    }

    @Test
    void tellAccountsApart() {
        Accounts accounts = new Accounts(
                Map.of("one", new SmsProperties.Account("pw-1", 1, 0), "two", new SmsProperties.Account("pw-2", 1, 0)));

        assertThat(accounts.authenticate("one", "pw-1", InetAddress.getLoopbackAddress()))
                .hasToString("one");
        assertThat(accounts.authenticate("two", "pw-2", InetAddress.getLoopbackAddress()))
                .hasToString("two");
        assertThat(accounts.authenticate("one", "pw-2", InetAddress.getLoopbackAddress()))
                .isNull();
        assertThat(accounts.authenticate("", "nobody", InetAddress.getLoopbackAddress()))
                .isNull();
        assertThat(accounts.authenticate("three", "nobody", InetAddress.getLoopbackAddress()))
                .isNull();
    }

    @Test
    void limitTheRateOfAnAccount() {
        RateLimit limit = new RateLimit(2);
        long second = 1_000_000_000;

        assertThat(limit.allows(0)).isTrue();
        assertThat(limit.allows(0)).isTrue();
        assertThat(limit.allows(0)).isFalse();
        assertThat(limit.allows(second / 2)).isTrue();
        assertThat(limit.allows(second / 2)).isFalse();
        assertThat(limit.allows(100 * second)).isTrue();
        assertThat(limit.allows(100 * second)).isTrue();
        assertThat(limit.allows(100 * second)).as("rest does not add up").isFalse();
        RateLimit none = new RateLimit(0);
        for (int i = 0; i < 1000; i++) {
            assertThat(none.allows(0)).isTrue();
        }
    }
}
