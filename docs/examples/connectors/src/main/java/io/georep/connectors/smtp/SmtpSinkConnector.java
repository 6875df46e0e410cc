package io.georep.connectors.smtp;

import io.georep.connectors.SendingConnector;

/** Sends each record as a mail through an SMTP server. */
public final class SmtpSinkConnector extends SendingConnector {
    /** Called by Kafka Connect. */
    public SmtpSinkConnector() {
        super(SmtpSinkTask.class, SmtpSettings.CONFIG);
    }
}
