package io.georep.connectors.jms;

import static io.georep.connectors.TaskBench.putUntilTaken;
import static io.georep.connectors.TaskBench.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.connectors.TaskBench;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.errors.RetriableException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class JmsSinkTaskTest {
    /** A broker in this JVM; without reconnection, as failures are the task's to see. */
    private static final String URL = "vm://7";

    private static final long MILLIS = 10_000;

    private final TaskBench bench = new TaskBench(true);
    private EmbeddedActiveMQ broker;

    @BeforeEach
    void startBroker() throws Exception {
        broker = new EmbeddedActiveMQ();
        broker.setConfiguration(new ConfigurationImpl()
                .setPersistenceEnabled(false)
                .setSecurityEnabled(false)
                .addAcceptorConfiguration("vm", URL)
                .addAddressSetting("#", new AddressSettings().setDefaultMaxConsumers(-1)));
        broker.start();
    }

    @AfterEach
    void stopBroker() throws Exception {
        broker.stop();
    }

    private JmsSinkTask start(String... settings) {
        Map<String, String> all =
                new HashMap<>(Map.of("jms.url", URL, "jms.destination", "alarms", "retry.backoff.ms", "1"));
        for (int i = 0; i < settings.length; i += 2) {
            all.put(settings[i], settings[i + 1]);
        }
        return bench.start(new JmsSinkTask(), all);
    }

    private static List<Message> receive(int count) throws JMSException {
        try (ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory(URL);
                Connection connection = factory.createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageConsumer consumer = session.createConsumer(session.createQueue("alarms"));
            List<Message> messages = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                messages.add(consumer.receive(MILLIS));
            }
            assertThat(consumer.receiveNoWait()).as("one more").isNull();
            return messages;
        }
    }

    @Test
    void sendsTextAsTextAndBytesAsBytes() throws Exception {
        JmsSinkTask task = start("jms.headers", "tenant,absent");

        task.put(List.of(
                record(1, "caf\u00e9", Map.of("tenant", "blue", "other", "x")),
                record(2, new byte[] {1, 2}, Map.of("georep.id", "ams-1/7"))));
        task.stop();

        List<Message> received = receive(2);
        assertThat(((TextMessage) received.get(0)).getText()).isEqualTo("caf\u00e9");
        assertThat(received.get(0).getStringProperty("georep_id")).isEqualTo("mails-0-1");
        assertThat(received.get(0).getStringProperty("tenant")).isEqualTo("blue");
        assertThat(received.get(0).propertyExists("other")).isFalse();
        BytesMessage bytes = (BytesMessage) received.get(1);
        assertThat(bytes.getBodyLength()).isEqualTo(2);
        assertThat(bytes.getStringProperty("georep_id")).isEqualTo("ams-1/7");
    }

    @Test
    void aBatchThatCannotBeCommittedIsSentOnceMoreAsAWhole() throws Exception {
        JmsSinkTask task = start();
        task.put(List.of(record(1, "first")));
        assertThat(receive(1)).hasSize(1);
        broker.stop();
        assertThatThrownBy(() -> task.put(List.of(record(2, "second"), record(3, "third"))))
                .isInstanceOf(RetriableException.class)
                .hasMessageContaining("the broker ");
        broker.start();

        putUntilTaken(task, List.of(record(2, "second"), record(3, "third")));

        assertThat(receive(2))
                .extracting(each -> ((TextMessage) each).getText())
                .containsExactly("second", "third");
    }

    /** The batch whose commit had no answer would be refused for ever. */
    @Test
    void refusesTheIdByWhichArtemisFailsTransactions() {
        assertThatThrownBy(() -> start("jms.id.property", "_AMQ_DUPL_ID"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("must be a name of your own");
    }

    @Test
    void givesUpWhatCannotBeAMessageAndSendsTheRest() throws Exception {
        JmsSinkTask task = start();

        task.put(List.of(record(1, 42), record(2, "text")));

        assertThat(receive(1)).hasSize(1);
        assertThat(bench.refused).hasSize(1).first().asString().startsWith("1: the record's value is neither bytes");
    }

    @Test
    void saysWhatToDoWithoutTheBrokersClient() {
        assertThatThrownBy(() -> start("jms.connection.factory.class", "com.example.NoFactory"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("put the broker's client for Jakarta Messaging 3 beside this connector");
    }
}
