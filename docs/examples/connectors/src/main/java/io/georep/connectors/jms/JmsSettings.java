package io.georep.connectors.jms;

import io.georep.connectors.SendingTask;
import io.georep.connectors.SentRecord;
import jakarta.jms.ConnectionFactory;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.utils.Utils;

/** What can be set. */
final class JmsSettings extends AbstractConfig {
    private static final String FACTORY = "jms.connection.factory.class";
    private static final String URL = "jms.url";
    private static final String USER = "jms.user";
    private static final String PASSWORD = "jms.password";
    private static final String DESTINATION = "jms.destination";
    private static final String TYPE = "jms.destination.type";
    private static final String ID_PROPERTY = "jms.id.property";
    private static final String HEADERS = "jms.headers";

    static final ConfigDef CONFIG = SendingTask.withPauses(SentRecord.withId(new ConfigDef()
            .define(
                    FACTORY,
                    ConfigDef.Type.STRING,
                    "org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory",
                    new ConfigDef.NonEmptyString(),
                    Importance.HIGH,
                    "The broker's ConnectionFactory, of Jakarta Messaging 3, with a public constructor that takes the URL.")
            .define(
                    URL,
                    ConfigDef.Type.STRING,
                    ConfigDef.NO_DEFAULT_VALUE,
                    new ConfigDef.NonEmptyString(),
                    Importance.HIGH,
                    "Where the broker is, as its ConnectionFactory wants it.")
            .define(USER, ConfigDef.Type.STRING, "", Importance.MEDIUM, "User at the broker. Empty: no authentication.")
            .define(PASSWORD, ConfigDef.Type.PASSWORD, "", Importance.MEDIUM, "The user's password.")
            .define(
                    DESTINATION,
                    ConfigDef.Type.STRING,
                    ConfigDef.NO_DEFAULT_VALUE,
                    new ConfigDef.NonEmptyString(),
                    Importance.HIGH,
                    "Name of the queue or topic.")
            .define(
                    TYPE,
                    ConfigDef.Type.STRING,
                    "queue",
                    ConfigDef.CaseInsensitiveValidString.in("queue", "topic"),
                    Importance.HIGH,
                    "Whether it is a queue or a topic.")
            .define(
                    ID_PROPERTY,
                    ConfigDef.Type.STRING,
                    "georep_id",
                    ConfigDef.LambdaValidator.with(JmsSettings::checkIdProperty, () -> "a name of a property"),
                    Importance.LOW,
                    "Property of the message that has the record's id, the same at each repetition.")
            .define(
                    HEADERS,
                    ConfigDef.Type.LIST,
                    List.of(),
                    Importance.LOW,
                    "Headers of a record that become text properties of its message, under the same names.")));

    JmsSettings(Map<String, String> properties) {
        super(CONFIG, properties, false);
    }

    /**
     * With this property Artemis fails a whole transaction for one message that it has already, so a repeated batch would never
     * arrive.
     */
    private static void checkIdProperty(String name, Object value) {
        if ("_AMQ_DUPL_ID".equals(value) || String.valueOf(value).isBlank()) {
            throw new ConfigException(name
                    + " must be a name of your own: with _AMQ_DUPL_ID a batch that was committed without an answer could"
                    + " never be sent again");
        }
    }

    /** A new factory for the broker. */
    ConnectionFactory factory() {
        String name = getString(FACTORY);
        try {
            Class<?> type = Class.forName(name, true, Utils.getContextOrKafkaClassLoader());
            return (ConnectionFactory) type.getConstructor(String.class).newInstance(getString(URL));
        } catch (ReflectiveOperationException | ClassCastException | LinkageError e) {
            throw new ConfigException(FACTORY + ": " + name + " cannot be made with jms.url: " + e
                    + "; put the broker's client for Jakarta Messaging 3 beside this connector, and look at jms.url");
        }
    }

    String user() {
        return getString(USER);
    }

    String password() {
        return getPassword(PASSWORD).value();
    }

    String destination() {
        return getString(DESTINATION);
    }

    boolean isTopic() {
        return "topic".equals(getString(TYPE).toLowerCase(Locale.ROOT));
    }

    String idProperty() {
        return getString(ID_PROPERTY);
    }

    List<String> headers() {
        return getList(HEADERS);
    }
}
