package io.georep.connectors.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.PossibleAuthenticationFailureException;
import com.rabbitmq.client.ShutdownSignalException;
import io.georep.connectors.TemporaryFailure;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Range;
import org.apache.kafka.connect.errors.ConnectException;
import org.jspecify.annotations.Nullable;

/** Settings about the broker that both directions have, and connections to it. */
final class RabbitBroker {
    private static final String HOST = "rabbitmq.host";
    private static final String PORT = "rabbitmq.port";
    private static final String TLS = "rabbitmq.tls";
    private static final String USER = "rabbitmq.user";
    private static final String PASSWORD = "rabbitmq.password";
    private static final String VIRTUAL_HOST = "rabbitmq.virtual.host";
    private static final String TIMEOUT = "rabbitmq.timeout.ms";
    private static final int CLOSE_MILLIS = 2_000;

    private RabbitBroker() {}

    static ConfigDef with(ConfigDef config) {
        return config.define(
                        HOST,
                        ConfigDef.Type.STRING,
                        ConfigDef.NO_DEFAULT_VALUE,
                        new ConfigDef.NonEmptyString(),
                        Importance.HIGH,
                        "The broker.")
                .define(PORT, ConfigDef.Type.INT, 5671, Range.between(1, 65_535), Importance.HIGH, "Its port.")
                .define(
                        TLS,
                        ConfigDef.Type.BOOLEAN,
                        true,
                        Importance.HIGH,
                        "Whether the connection is encrypted, and the broker's certificate must be for its name.")
                .define(USER, ConfigDef.Type.STRING, "guest", Importance.MEDIUM, "User at the broker.")
                .define(PASSWORD, ConfigDef.Type.PASSWORD, "guest", Importance.MEDIUM, "The user's password.")
                .define(
                        VIRTUAL_HOST,
                        ConfigDef.Type.STRING,
                        "/",
                        new ConfigDef.NonEmptyString(),
                        Importance.MEDIUM,
                        "Virtual host at the broker.")
                .define(
                        TIMEOUT,
                        ConfigDef.Type.INT,
                        10_000,
                        Range.between(1, 600_000),
                        Importance.MEDIUM,
                        "Milliseconds to wait for a connection, and for the broker's answers.");
    }

    static int timeoutMillis(AbstractConfig settings) {
        return settings.getInt(TIMEOUT);
    }

    /** A connection that does not connect again by itself. */
    static Connection connect(AbstractConfig settings) throws TemporaryFailure {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost(settings.getString(HOST));
        factory.setPort(settings.getInt(PORT));
        factory.setUsername(settings.getString(USER));
        factory.setPassword(settings.getPassword(PASSWORD).value());
        factory.setVirtualHost(settings.getString(VIRTUAL_HOST));
        factory.setAutomaticRecoveryEnabled(false);
        factory.setConnectionTimeout(timeoutMillis(settings));
        factory.setHandshakeTimeout(timeoutMillis(settings));
        factory.setChannelRpcTimeout(timeoutMillis(settings));
        try {
            if (settings.getBoolean(TLS)) {
                // Without a context given here, the client would trust every certificate.
                factory.useSslProtocol(SSLContext.getDefault());
                factory.enableHostnameVerification();
            }
            return factory.newConnection("georep-connectors");
        } catch (GeneralSecurityException e) {
            throw new ConnectException("this JVM has no TLS", e);
        } catch (PossibleAuthenticationFailureException e) {
            throw new ConnectException(
                    "the broker refuses user or password: set rabbitmq.user and rabbitmq.password", e);
        } catch (IOException | TimeoutException e) {
            throw failure(e);
        }
    }

    /** A channel of the connection. */
    static Channel channel(Connection connection) throws IOException {
        Channel channel = connection.createChannel();
        if (channel == null) {
            throw new IOException("the broker allows no channel on a new connection");
        }
        return channel;
    }

    /** What a failure means: something to set, or to be tried again. */
    static TemporaryFailure failure(Exception failure) {
        int code = replyCode(failure);
        String text = switch (code) {
            case AMQP.NOT_FOUND -> "the broker has no such exchange or queue: declare it there, or set its name";
            case AMQP.ACCESS_REFUSED -> "the broker refuses rabbitmq.user: set the user's permissions at the broker";
            case AMQP.NOT_ALLOWED -> "the broker refuses the virtual host: set rabbitmq.virtual.host, and permissions";
            default -> null;
        };
        if (text != null) {
            throw new ConnectException(text, failure);
        }
        return new TemporaryFailure(
                code == 0 ? "the broker cannot be reached: " + failure : "the broker closed the connection: " + code,
                failure);
    }

    /** Why the broker closed a channel or a connection; 0 if it was not the broker. */
    static int replyCode(@Nullable Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof ShutdownSignalException closed) {
                return closed.getReason() instanceof AMQP.Channel.Close channel
                        ? channel.getReplyCode()
                        : closed.getReason() instanceof AMQP.Connection.Close connection
                                ? connection.getReplyCode()
                                : 0;
            }
        }
        return 0;
    }

    /** Closes it; nothing depends on the outcome. */
    static void close(Connection connection) {
        connection.abort(CLOSE_MILLIS);
    }
}
