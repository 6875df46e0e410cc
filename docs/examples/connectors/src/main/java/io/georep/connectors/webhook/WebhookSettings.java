package io.georep.connectors.webhook;

import io.georep.connectors.SendingTask;
import io.georep.connectors.SentRecord;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Range;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.types.Password;
import org.jspecify.annotations.Nullable;

/** What can be set. */
final class WebhookSettings extends AbstractConfig {
    private static final String URL = "webhook.url";
    private static final String SECRET = "webhook.secret";
    private static final String CONTENT_TYPE = "webhook.content.type";
    private static final String HEADERS = "webhook.headers";
    private static final String KEY_HEADER = "webhook.idempotency.header";
    private static final String TIMEOUT = "webhook.timeout.ms";
    private static final int SECRET_BYTES_MIN = 16;
    private static final String BASE64 = "whsec_";

    static final ConfigDef CONFIG = SendingTask.withPauses(SentRecord.withId(new ConfigDef()
            .define(
                    URL,
                    ConfigDef.Type.STRING,
                    ConfigDef.NO_DEFAULT_VALUE,
                    ConfigDef.LambdaValidator.with(WebhookSettings::checkUrl, () -> "an http or https URL"),
                    Importance.HIGH,
                    "Where records are posted.")
            .define(
                    SECRET,
                    ConfigDef.Type.PASSWORD,
                    null,
                    ConfigDef.LambdaValidator.with(
                            WebhookSettings::checkSecret, () -> "at least " + SECRET_BYTES_MIN + " bytes"),
                    Importance.HIGH,
                    "Secret that requests are signed with, known to the receiver; behind whsec_ in Base64, else as it is."
                            + " Empty: requests are not signed.")
            .define(
                    CONTENT_TYPE,
                    ConfigDef.Type.STRING,
                    "application/octet-stream",
                    new ConfigDef.NonEmptyString(),
                    Importance.MEDIUM,
                    "Content-Type of a record without a header content-type.")
            .define(
                    HEADERS,
                    ConfigDef.Type.LIST,
                    List.of(),
                    Importance.LOW,
                    "Headers of a record that become headers of its request, under the same names.")
            .define(
                    KEY_HEADER,
                    ConfigDef.Type.STRING,
                    "Idempotency-Key",
                    new ConfigDef.NonEmptyString(),
                    Importance.LOW,
                    "Header of the request that has the record's id, the same at each repetition.")
            .define(
                    TIMEOUT,
                    ConfigDef.Type.LONG,
                    10_000L,
                    Range.between(1, 600_000),
                    Importance.MEDIUM,
                    "Milliseconds for a request, from the connection to the end of its answer.")));

    WebhookSettings(Map<String, String> properties) {
        super(CONFIG, properties, false);
    }

    private static void checkUrl(String name, Object value) {
        if (value == null) {
            return;
        }
        try {
            URI uri = URI.create(value.toString());
            if (("http".equals(uri.getScheme()) || "https".equals(uri.getScheme())) && uri.getHost() != null) {
                return;
            }
        } catch (IllegalArgumentException e) {
            throw new ConfigException(name + " is not a URL: " + e.getMessage());
        }
        throw new ConfigException(name + " must be a URL such as https://example.com/path");
    }

    /** The text must not show the secret, so the value is not given to the exception. */
    private static void checkSecret(String name, Object value) {
        if (value instanceof Password password && !password.value().isEmpty()) {
            byte[] secret;
            try {
                secret = decode(password.value());
            } catch (IllegalArgumentException e) {
                throw new ConfigException(name + " must be in Base64 behind " + BASE64);
            }
            if (secret.length < SECRET_BYTES_MIN) {
                throw new ConfigException(name + " must have at least " + SECRET_BYTES_MIN + " bytes");
            }
        }
    }

    URI url() {
        return URI.create(getString(URL));
    }

    /** Null if requests are not signed. */
    byte @Nullable [] secret() {
        Password password = getPassword(SECRET);
        return password == null || password.value().isEmpty() ? null : decode(password.value());
    }

    private static byte[] decode(String secret) {
        return secret.startsWith(BASE64)
                ? Base64.getDecoder().decode(secret.substring(BASE64.length()))
                : secret.getBytes(StandardCharsets.UTF_8);
    }

    String contentType() {
        return getString(CONTENT_TYPE);
    }

    List<String> headers() {
        return getList(HEADERS);
    }

    String keyHeader() {
        return getString(KEY_HEADER);
    }

    Duration timeout() {
        return Duration.ofMillis(getLong(TIMEOUT));
    }
}
