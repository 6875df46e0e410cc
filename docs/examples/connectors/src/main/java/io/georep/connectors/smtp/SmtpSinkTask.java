package io.georep.connectors.smtp;

import static java.util.Objects.requireNonNull;

import io.georep.connectors.RecordRefused;
import io.georep.connectors.SendingTask;
import io.georep.connectors.TemporaryFailure;
import jakarta.mail.AuthenticationFailedException;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.eclipse.angus.mail.smtp.SMTPAddressFailedException;
import org.eclipse.angus.mail.smtp.SMTPSendFailedException;
import org.eclipse.angus.mail.smtp.SMTPSenderFailedException;
import org.jspecify.annotations.Nullable;

/** Sends mails over one connection, one after the other. */
public final class SmtpSinkTask extends SendingTask {
    private static final int REFUSED_MIN = 500;

    private @Nullable SmtpSettings settings;
    private @Nullable Mails mails;
    private @Nullable Session session;
    private @Nullable Transport transport;

    @Override
    protected AbstractConfig begin(Map<String, String> properties) {
        SmtpSettings parsed = new SmtpSettings(properties);
        settings = parsed;
        session = Session.getInstance(parsed.mail());
        mails = new Mails(parsed, session);
        return parsed;
    }

    @Override
    protected void send(SinkRecord record) throws TemporaryFailure, RecordRefused {
        Message mail = requireNonNull(mails, "not started").of(record);
        try {
            connected().sendMessage(mail, mail.getAllRecipients());
        } catch (AuthenticationFailedException e) {
            throw new ConnectException("the mail server refuses user or password: set smtp.user and smtp.password", e);
        } catch (MessagingException e) {
            int code = code(e);
            if (code >= REFUSED_MIN) {
                throw new RecordRefused("the mail server answered " + code, null);
            }
            throw new TemporaryFailure(
                    code > 0
                            ? "the mail server answered " + code
                            : "the mail server cannot be reached: " + e.getMessage(),
                    code > 0 ? null : e);
        }
    }

    private Transport connected() throws MessagingException {
        if (transport == null || !transport.isConnected()) {
            disconnect();
            SmtpSettings set = requireNonNull(settings, "not started");
            Transport next = requireNonNull(session, "not started").getTransport();
            transport = next;
            if (set.user().isEmpty()) {
                next.connect();
            } else {
                next.connect(set.user(), set.password());
            }
        }
        return transport;
    }

    /**
     * The server's answer; 0 if it gave none. If recipients got different answers, the lowest code counts: 4xx, which may
     * succeed later, before 5xx.
     */
    private static int code(MessagingException failure) {
        int code = 0;
        for (Exception each = failure; each != null; ) {
            int its = each instanceof SMTPAddressFailedException address
                    ? address.getReturnCode()
                    : each instanceof SMTPSenderFailedException sender
                            ? sender.getReturnCode()
                            : each instanceof SMTPSendFailedException send ? send.getReturnCode() : 0;
            if (its >= 400 && (code == 0 || its < code)) {
                code = its;
            }
            each = each instanceof MessagingException messaging ? messaging.getNextException() : null;
        }
        return code;
    }

    @Override
    protected void disconnect() {
        Transport last = transport;
        transport = null;
        if (last != null) {
            try {
                last.close();
            } catch (MessagingException e) {
                // The connection is given up anyway.
            }
        }
    }
}
