package io.georep.connectors.jms;

import static java.util.Objects.requireNonNull;

import io.georep.connectors.RecordRefused;
import io.georep.connectors.SendingTask;
import io.georep.connectors.SentRecord;
import io.georep.connectors.TemporaryFailure;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Message;
import jakarta.jms.MessageFormatException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.jspecify.annotations.Nullable;

/** Sends each batch in a transaction. */
public final class JmsSinkTask extends SendingTask {
    private @Nullable JmsSettings settings;
    private @Nullable ConnectionFactory factory;
    private @Nullable Link link;

    private record Link(Connection connection, Session session, MessageProducer producer) {}

    @Override
    protected AbstractConfig begin(Map<String, String> properties) {
        JmsSettings parsed = new JmsSettings(properties);
        settings = parsed;
        factory = parsed.factory();
        return parsed;
    }

    @Override
    protected boolean confirmsEach() {
        return false;
    }

    @Override
    protected void send(SinkRecord record) throws TemporaryFailure, RecordRefused {
        // First: a record without a fit value needs no connection.
        Object value = record.value() instanceof String text ? text : SentRecord.bytes(record);
        Link to;
        try {
            to = connected();
        } catch (JMSSecurityException e) {
            throw refused(e);
        } catch (JMSException e) {
            throw new TemporaryFailure("the broker cannot be reached: " + e.getMessage(), e);
        }
        try {
            to.producer().send(message(to.session(), record, value));
        } catch (JMSSecurityException e) {
            throw refused(e);
        } catch (MessageFormatException e) {
            throw new RecordRefused("a header of the record cannot be a property of a message", null);
        } catch (JMSException e) {
            throw failed(e);
        }
    }

    @Override
    protected void confirm() throws TemporaryFailure {
        if (link == null) {
            return;
        }
        try {
            link.session().commit();
        } catch (JMSException e) {
            throw failed(e);
        }
    }

    private Message message(Session session, SinkRecord record, Object value) throws JMSException {
        JmsSettings set = requireNonNull(settings, "not started");
        Message message;
        if (value instanceof String text) {
            message = session.createTextMessage(text);
        } else {
            BytesMessage bytes = session.createBytesMessage();
            bytes.writeBytes((byte[]) value);
            message = bytes;
        }
        message.setStringProperty(set.idProperty(), SentRecord.id(record, SentRecord.idHeader(set)));
        for (String name : set.headers()) {
            String header = SentRecord.header(record, name);
            if (header != null) {
                message.setStringProperty(name, header);
            }
        }
        return message;
    }

    private Link connected() throws JMSException {
        if (link != null) {
            return link;
        }
        JmsSettings set = requireNonNull(settings, "not started");
        ConnectionFactory from = requireNonNull(factory, "not started");
        Connection connection =
                set.user().isEmpty() ? from.createConnection() : from.createConnection(set.user(), set.password());
        try {
            Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
            MessageProducer producer = session.createProducer(
                    set.isTopic() ? session.createTopic(set.destination()) : session.createQueue(set.destination()));
            producer.setDeliveryMode(DeliveryMode.PERSISTENT);
            link = new Link(connection, session, producer);
            return link;
        } catch (JMSException e) {
            close(connection);
            throw e;
        }
    }

    private static ConnectException refused(JMSSecurityException failure) {
        return new ConnectException(
                "the broker refuses jms.user: set jms.user, jms.password and the user's rights at the broker", failure);
    }

    /** Leaves out the exception's text, which may show properties of messages. */
    private static TemporaryFailure failed(JMSException failure) {
        return new TemporaryFailure(
                "the broker did not take messages (" + failure.getClass().getSimpleName() + ", "
                        + failure.getErrorCode() + ")",
                null);
    }

    @Override
    protected void disconnect() {
        Link last = link;
        link = null;
        if (last != null) {
            close(last.connection());
        }
    }

    private static void close(Connection connection) {
        try {
            connection.close();
        } catch (JMSException e) {
            // The connection is given up anyway, and what was not committed is sent again.
        }
    }
}
