package io.georep.connectors.rabbitmq;

import io.georep.connectors.SendingConnector;

/** Publishes records to RabbitMQ. */
public final class RabbitSinkConnector extends SendingConnector {
    /** Called by Kafka Connect. */
    public RabbitSinkConnector() {
        super(RabbitSinkTask.class, RabbitSinkTask.CONFIG);
    }
}
