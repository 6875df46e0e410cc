package io.georep.connectors.mqtt;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.lifecycle.MqttClientDisconnectedListener;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5ClientBuilder;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5SimpleAuth;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Range;
import org.jspecify.annotations.Nullable;

/** Settings about the broker that both directions have. */
final class MqttBroker {
    private static final String HOST = "mqtt.host";
    private static final String PORT = "mqtt.port";
    private static final String TLS = "mqtt.tls";
    private static final String USER = "mqtt.user";
    private static final String PASSWORD = "mqtt.password";
    private static final String TIMEOUT = "mqtt.timeout.ms";

    private MqttBroker() {}

    static ConfigDef with(ConfigDef config) {
        return config.define(
                        HOST,
                        ConfigDef.Type.STRING,
                        ConfigDef.NO_DEFAULT_VALUE,
                        new ConfigDef.NonEmptyString(),
                        Importance.HIGH,
                        "The broker.")
                .define(PORT, ConfigDef.Type.INT, 8883, Range.between(1, 65_535), Importance.HIGH, "Its port.")
                .define(
                        TLS,
                        ConfigDef.Type.BOOLEAN,
                        true,
                        Importance.HIGH,
                        "Whether the connection is encrypted, and the broker's certificate must be for its name.")
                .define(
                        USER,
                        ConfigDef.Type.STRING,
                        "",
                        Importance.MEDIUM,
                        "User at the broker. Empty: no authentication.")
                .define(PASSWORD, ConfigDef.Type.PASSWORD, "", Importance.MEDIUM, "The user's password.")
                .define(
                        TIMEOUT,
                        ConfigDef.Type.LONG,
                        10_000L,
                        Range.between(1, 600_000),
                        Importance.MEDIUM,
                        "Milliseconds to wait for a connection, and for the broker's answers.");
    }

    private static Duration timeout(AbstractConfig settings) {
        return Duration.ofMillis(settings.getLong(TIMEOUT));
    }

    /** How long to wait for the client: longer than the client itself waits for the broker. */
    static long waitMillis(AbstractConfig settings) {
        return 2 * settings.getLong(TIMEOUT) + 1_000;
    }

    /** A client that is not connected, and does not connect again by itself. */
    static Mqtt5AsyncClient client(
            AbstractConfig settings, @Nullable String id, MqttClientDisconnectedListener disconnected) {
        Mqtt5ClientBuilder client = MqttClient.builder()
                .useMqttVersion5()
                .serverHost(settings.getString(HOST))
                .serverPort(settings.getInt(PORT))
                .transportConfig()
                .socketConnectTimeout(timeout(settings).toMillis(), TimeUnit.MILLISECONDS)
                .mqttConnectTimeout(timeout(settings).toMillis(), TimeUnit.MILLISECONDS)
                .applyTransportConfig()
                .addDisconnectedListener(disconnected);
        if (id != null) {
            client = client.identifier(id);
        }
        if (settings.getBoolean(TLS)) {
            client = client.sslWithDefaultConfig();
        }
        String user = settings.getString(USER);
        if (!user.isEmpty()) {
            client = client.simpleAuth(Mqtt5SimpleAuth.builder()
                    .username(user)
                    .password(settings.getPassword(PASSWORD).value().getBytes(StandardCharsets.UTF_8))
                    .build());
        }
        return client.buildAsync();
    }
}
