package io.georep.connectors.webhook;

import io.georep.connectors.SendingConnector;

/** Posts each record to a URL, signed, with a key by which the receiver tells repetitions. */
public final class WebhookSinkConnector extends SendingConnector {
    /** Called by Kafka Connect. */
    public WebhookSinkConnector() {
        super(WebhookSinkTask.class, WebhookSettings.CONFIG);
    }
}
