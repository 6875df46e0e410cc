package io.georep.connectors.mqtt;

import io.georep.connectors.SendingConnector;

/** Publishes each record to a topic of an MQTT 5 broker. */
public final class MqttSinkConnector extends SendingConnector {
    /** Called by Kafka Connect. */
    public MqttSinkConnector() {
        super(MqttSinkTask.class, MqttSinkTask.CONFIG);
    }
}
