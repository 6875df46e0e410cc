package io.georep.connectors.jms;

import io.georep.connectors.SendingConnector;

/** Sends each record as a message to a queue or topic of a JMS broker. */
public final class JmsSinkConnector extends SendingConnector {
    /** Called by Kafka Connect. */
    public JmsSinkConnector() {
        super(JmsSinkTask.class, JmsSettings.CONFIG);
    }
}
