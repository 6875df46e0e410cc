package io.georep.connectors.smtp;

import io.georep.connectors.SendingTask;
import io.georep.connectors.SentRecord;
import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Range;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.types.Password;

/** What can be set. */
final class SmtpSettings extends AbstractConfig {
    private static final String HOST = "smtp.host";
    private static final String PORT = "smtp.port";
    private static final String SECURITY = "smtp.security";
    private static final String USER = "smtp.user";
    private static final String PASSWORD = "smtp.password";
    private static final String FROM = "smtp.from";
    private static final String TO = "smtp.to";
    private static final String SUBJECT = "smtp.subject";
    private static final String CONTENT_TYPE = "smtp.content.type";
    private static final String TIMEOUT = "smtp.timeout.ms";

    enum Security {
        NONE,
        STARTTLS,
        TLS
    }

    static final ConfigDef CONFIG = SendingTask.withPauses(SentRecord.withId(new ConfigDef()
            .define(
                    HOST,
                    ConfigDef.Type.STRING,
                    ConfigDef.NO_DEFAULT_VALUE,
                    new ConfigDef.NonEmptyString(),
                    Importance.HIGH,
                    "The SMTP server.")
            .define(PORT, ConfigDef.Type.INT, 587, Range.between(1, 65_535), Importance.HIGH, "Its port.")
            .define(
                    SECURITY,
                    ConfigDef.Type.STRING,
                    "STARTTLS",
                    ConfigDef.CaseInsensitiveValidString.in("NONE", "STARTTLS", "TLS"),
                    Importance.HIGH,
                    "STARTTLS: encrypted after the first words, or not at all used. TLS: encrypted from the start. NONE:"
                            + " not encrypted, for a server on the same machine.")
            .define(USER, ConfigDef.Type.STRING, "", Importance.MEDIUM, "User at the server. Empty: no authentication.")
            .define(PASSWORD, ConfigDef.Type.PASSWORD, "", Importance.MEDIUM, "The user's password.")
            .define(
                    FROM,
                    ConfigDef.Type.STRING,
                    ConfigDef.NO_DEFAULT_VALUE,
                    new ConfigDef.NonEmptyString(),
                    Importance.HIGH,
                    "Sender of a record without a header mail.from.")
            .define(
                    TO,
                    ConfigDef.Type.STRING,
                    "",
                    Importance.HIGH,
                    "Recipients, separated by commas, of a record without a header mail.to.")
            .define(
                    SUBJECT,
                    ConfigDef.Type.STRING,
                    "",
                    Importance.MEDIUM,
                    "Subject of a record without a header mail.subject.")
            .define(
                    CONTENT_TYPE,
                    ConfigDef.Type.STRING,
                    "text/plain; charset=UTF-8",
                    new ConfigDef.NonEmptyString(),
                    Importance.MEDIUM,
                    "Content-Type of a record without a header content-type.")
            .define(
                    TIMEOUT,
                    ConfigDef.Type.INT,
                    30_000,
                    Range.between(1, 600_000),
                    Importance.MEDIUM,
                    "Milliseconds to wait for a connection, and for each answer.")));

    SmtpSettings(Map<String, String> properties) {
        super(CONFIG, properties, false);
        checkAddresses(FROM, from());
        checkAddresses(TO, to());
    }

    private static void checkAddresses(String name, String addresses) {
        try {
            InternetAddress[] unused = InternetAddress.parse(addresses, true);
        } catch (AddressException e) {
            throw new ConfigException(name + " is not an address like ops@example.com: " + e.getMessage());
        }
    }

    private Security security() {
        return Security.valueOf(getString(SECURITY).toUpperCase(Locale.ROOT));
    }

    String user() {
        return getString(USER);
    }

    String password() {
        Password password = getPassword(PASSWORD);
        return password.value();
    }

    String from() {
        return getString(FROM);
    }

    String to() {
        return getString(TO);
    }

    String subject() {
        return getString(SUBJECT);
    }

    String contentType() {
        return getString(CONTENT_TYPE);
    }

    /** What Jakarta Mail wants to know. */
    Properties mail() {
        Properties mail = new Properties();
        mail.setProperty("mail.transport.protocol", "smtp");
        mail.setProperty("mail.smtp.host", getString(HOST));
        mail.setProperty("mail.smtp.port", getInt(PORT).toString());
        mail.setProperty("mail.smtp.auth", String.valueOf(!user().isEmpty()));
        mail.setProperty("mail.smtp.starttls.enable", String.valueOf(security() == Security.STARTTLS));
        mail.setProperty("mail.smtp.starttls.required", String.valueOf(security() == Security.STARTTLS));
        mail.setProperty("mail.smtp.ssl.enable", String.valueOf(security() == Security.TLS));
        mail.setProperty("mail.smtp.ssl.checkserveridentity", "true");
        for (String wait : new String[] {"connectiontimeout", "timeout", "writetimeout"}) {
            mail.setProperty("mail.smtp." + wait, getInt(TIMEOUT).toString());
        }
        return mail;
    }
}
