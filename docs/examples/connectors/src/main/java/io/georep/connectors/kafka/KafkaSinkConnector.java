package io.georep.connectors.kafka;

import io.georep.connectors.SendingConnector;

/** Sends each record to a topic of Kafka. */
public final class KafkaSinkConnector extends SendingConnector {
    /** Called by Kafka Connect. */
    public KafkaSinkConnector() {
        super(KafkaSinkTask.class, KafkaSinkTask.CONFIG);
    }
}
