package io.georep.examples.host;

import jakarta.jms.Connection;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.nio.file.Path;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;

/** ActiveMQ Artemis in this JVM, with its journal on disk. */
final class JmsBroker implements OtherSide {
    static final String QUEUE = "alarms";
    private static final long QUIET_MILLIS = 300;

    private final String url;
    private final Path directory;
    private final Ledger ledger;
    private EmbeddedActiveMQ broker;

    JmsBroker(Path directory, int port, Ledger ledger) {
        this.url = url(port);
        this.directory = directory;
        this.ledger = ledger;
    }

    /** Failures are the task's to see: the client does not connect again by itself. */
    static String url(int port) {
        return "tcp://127.0.0.1:" + port + "?reconnectAttempts=0";
    }

    @Override
    public void start() throws Exception {
        broker = new EmbeddedActiveMQ();
        broker.setConfiguration(new ConfigurationImpl()
                .setPersistenceEnabled(true)
                .setJournalType(JournalType.NIO)
                .setJournalDirectory(directory.resolve("journal").toString())
                .setBindingsDirectory(directory.resolve("bindings").toString())
                .setLargeMessagesDirectory(directory.resolve("large").toString())
                .setPagingDirectory(directory.resolve("paging").toString())
                .setSecurityEnabled(false)
                .addAcceptorConfiguration("tcp", url.substring(0, url.indexOf('?'))));
        broker.start();
    }

    @Override
    public void stop() throws Exception {
        broker.stop();
    }

    @Override
    public void collect() throws Exception {
        try (ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory(url);
                Connection connection = factory.createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageConsumer consumer = session.createConsumer(session.createQueue(QUEUE));
            for (Message each = consumer.receive(QUIET_MILLIS); each != null; each = consumer.receive(QUIET_MILLIS)) {
                ledger.arrived(((TextMessage) each).getText(), each.getStringProperty("georep_id"));
            }
        }
    }
}
