package io.georep.connectors.smtp;

import io.georep.connectors.RecordRefused;
import io.georep.connectors.SentRecord;
import jakarta.activation.DataHandler;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.util.ByteArrayDataSource;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import org.apache.kafka.connect.sink.SinkRecord;
import org.jspecify.annotations.Nullable;

/** Makes mails of records. */
final class Mails {
    /** The last day that has four digits for its year. */
    private static final long MILLIS_MAX = 253_402_214_400_000L;

    private final SmtpSettings settings;
    private final Session session;

    Mails(SmtpSettings settings, Session session) {
        this.settings = settings;
        this.session = session;
    }

    Message of(SinkRecord record) throws RecordRefused {
        byte[] body = SentRecord.bytes(record);
        String to = header(record, "mail.to", settings.to());
        if (to.isBlank()) {
            throw new RecordRefused("the record has no header mail.to, and smtp.to is not set", null);
        }
        try {
            MimeMessage mail = new Identified(session, SentRecord.id(record, SentRecord.idHeader(settings)));
            mail.setFrom(new InternetAddress(header(record, "mail.from", settings.from()), true));
            mail.setRecipients(Message.RecipientType.TO, InternetAddress.parse(to, true));
            mail.setSubject(header(record, "mail.subject", settings.subject()), StandardCharsets.UTF_8.name());
            mail.setHeader("Date", date(record.timestamp()));
            String type = header(record, "content-type", settings.contentType());
            mail.setDataHandler(new DataHandler(new ByteArrayDataSource(body, type)));
            mail.saveChanges();
            return mail;
        } catch (MessagingException e) {
            // The exception's own text shows addresses.
            throw new RecordRefused("an address or a header of the record cannot be one of a mail", null);
        }
    }

    private static String date(@Nullable Long millis) {
        Instant time =
                millis == null || millis < 0 || millis > MILLIS_MAX ? Instant.now() : Instant.ofEpochMilli(millis);
        return DateTimeFormatter.RFC_1123_DATE_TIME.format(time.atOffset(ZoneOffset.UTC));
    }

    /** A line break would begin a header of the record's choosing. */
    private static String header(SinkRecord record, String name, String otherwise) throws RecordRefused {
        String value = SentRecord.header(record, name);
        if (value == null) {
            return otherwise;
        }
        if (value.chars().anyMatch(each -> each < ' ' || each == 0x7f)) {
            throw new RecordRefused("header " + name + " of the record has a control character", null);
        }
        return value;
    }

    /** A mail whose Message-ID is made of the record's id, so that repetitions can be told. */
    private static final class Identified extends MimeMessage {
        private final String id;

        Identified(Session session, String id) {
            super(session);
            this.id = id;
        }

        @Override
        protected void updateMessageID() throws MessagingException {
            // In hexadecimal, as ids may have any characters.
            setHeader(
                    "Message-ID",
                    "<" + HexFormat.of().formatHex(id.getBytes(StandardCharsets.UTF_8)) + "@georep.invalid>");
        }
    }
}
