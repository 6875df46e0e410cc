package io.georep.connectors.smtp;

import static io.georep.connectors.TaskBench.putUntilTaken;
import static io.georep.connectors.TaskBench.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import io.georep.connectors.TaskBench;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.RetriableException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class SmtpSinkTaskTest {
    private final TaskBench bench = new TaskBench(true);
    private final GreenMail mail = new GreenMail(new ServerSetup(0, "127.0.0.1", "smtp"));

    @AfterEach
    void stop() {
        mail.stop();
    }

    private SmtpSinkTask start(int port, String... settings) {
        Map<String, String> all = new HashMap<>(Map.of(
                "smtp.host", "127.0.0.1",
                "smtp.port", Integer.toString(port),
                "smtp.security", "none",
                "smtp.from", "gateway@example.com",
                "smtp.to", "ops@example.com",
                "smtp.subject", "Alarm",
                "smtp.timeout.ms", "5000",
                "retry.backoff.ms", "1"));
        for (int i = 0; i < settings.length; i += 2) {
            all.put(settings[i], settings[i + 1]);
        }
        return bench.start(new SmtpSinkTask(), all);
    }

    @Test
    void sendsMailsThatCanBeToldFromRepetitions() throws Exception {
        mail.start();
        SmtpSinkTask task = start(mail.getSmtp().getPort());

        task.put(List.of(
                record(1, "caf\u00e9"),
                record(
                        2,
                        "<p>hello</p>",
                        Map.of(
                                "mail.to", "ann@example.com, Bob <bob@example.com>",
                                "mail.subject", "Gr\u00fc\u00dfe",
                                "mail.from", "news@example.com",
                                "content-type", "text/html; charset=UTF-8",
                                "georep.id", "ams-1 <7>"))));
        task.put(List.of(record(1, "caf\u00e9")));
        task.stop();

        List<MimeMessage> alarms = received("Alarm");
        assertThat(alarms).hasSize(2);
        MimeMessage alarm = alarms.get(0);
        assertThat(alarm.getContent().toString().strip()).isEqualTo("caf\u00e9");
        assertThat(alarm.getFrom()[0]).hasToString("gateway@example.com");
        assertThat(alarm.getAllRecipients()[0]).hasToString("ops@example.com");
        assertThat(alarm.getSentDate().toInstant().toEpochMilli()).isEqualTo(1_700_000_000_000L);
        List<MimeMessage> greetings = received("Gr\u00fc\u00dfe");
        assertThat(greetings).as("one for each recipient").hasSize(2);
        MimeMessage greeting = greetings.get(0);
        assertThat(greeting.getContentType()).startsWith("text/html");
        assertThat(greeting.getFrom()[0]).hasToString("news@example.com");
        assertThat(greeting.getAllRecipients()).hasSize(2);
        assertThat(alarms.get(1).getMessageID()).isEqualTo(alarm.getMessageID()).isNotEqualTo(greeting.getMessageID());
    }

    private List<MimeMessage> received(String subject) throws MessagingException {
        List<MimeMessage> found = new ArrayList<>();
        for (MimeMessage each : mail.getReceivedMessages()) {
            if (subject.equals(each.getSubject())) {
                found.add(each);
            }
        }
        return found;
    }

    @Test
    void triesAgainUntilTheServerIsBack() {
        int port = closedPort();
        SmtpSinkTask task = start(port);
        assertThatThrownBy(() -> task.put(List.of(record(1, "text"))))
                .isInstanceOf(RetriableException.class)
                .hasMessageContaining("the mail server cannot be reached");
        GreenMail later = new GreenMail(new ServerSetup(port, "127.0.0.1", "smtp"));
        later.start();
        try {
            putUntilTaken(task, List.of(record(1, "text")));
            // The server goes and comes while the task has a connection.
            later.stop();
            assertThatThrownBy(() -> task.put(List.of(record(2, "text")))).isInstanceOf(RetriableException.class);
        } finally {
            later.stop();
        }
    }

    private static int closedPort() {
        try (Scripted server = new Scripted("220 hello")) {
            return server.port();
        }
    }

    @Test
    void givesUpWhatIsRefusedForGoodAndTriesWhatIsRefusedForNow() {
        try (Scripted server = new Scripted("220 hello", "250 hello", "250 sender", "550 no such user", "250 reset")) {
            SmtpSinkTask task = start(server.port());

            task.put(List.of(record(1, "text")));

            assertThat(bench.refused).containsExactly("1: the mail server answered 550");
        }
        try (Scripted server = new Scripted("220 hello", "250 hello", "250 sender", "451 later", "250 reset")) {
            SmtpSinkTask task = start(server.port());

            assertThatThrownBy(() -> task.put(List.of(record(1, "text"))))
                    .isInstanceOf(RetriableException.class)
                    .hasMessageContaining("the mail server answered 451");
        }
        assertThat(bench.refused).hasSize(1);
    }

    @Test
    void sendsNothingWithoutTheEncryptionThatIsWanted() {
        mail.start();
        SmtpSinkTask task = start(mail.getSmtp().getPort(), "smtp.security", "STARTTLS");

        assertThatThrownBy(() -> task.put(List.of(record(1, "text"))))
                .isInstanceOf(RetriableException.class)
                .hasMessageContaining("STARTTLS");
        assertThat(mail.getReceivedMessages()).isEmpty();
    }

    @Test
    void aWrongPasswordEndsTheTaskAndIsNotShown() {
        mail.setUser("ops@example.com", "gateway", "right");
        mail.start();
        SmtpSinkTask task = start(mail.getSmtp().getPort(), "smtp.user", "gateway", "smtp.password", "wrong-word");

        assertThatThrownBy(() -> task.put(List.of(record(1, "text"))))
                .isInstanceOf(ConnectException.class)
                .isNotInstanceOf(RetriableException.class)
                .hasMessageContaining("set smtp.user and smtp.password")
                .hasMessageNotContaining("wrong-word");
    }

    @Test
    void aRecordCannotForgeHeadersOfAMail() {
        mail.start();
        SmtpSinkTask task = start(mail.getSmtp().getPort());

        task.put(List.of(
                record(1, "text", Map.of("mail.subject", "a\r\nBcc: all@example.com")),
                record(2, "text", Map.of("mail.to", "a@example.com\nb@example.com")),
                record(3, "text", Map.of("mail.to", "not an address")),
                record(4, "text", Map.of("mail.to", " "))));

        assertThat(mail.getReceivedMessages()).isEmpty();
        assertThat(bench.refused)
                .containsExactly(
                        "1: header mail.subject of the record has a control character",
                        "2: header mail.to of the record has a control character",
                        "3: an address or a header of the record cannot be one of a mail",
                        "4: the record has no header mail.to, and smtp.to is not set");
    }

    @Test
    void refusesSettingsThatAreNoAddresses() {
        assertThatThrownBy(() -> start(25, "smtp.from", "gateway@"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("smtp.from is not an address like ops@example.com");
    }

    /** A server for one connection that answers each line with the next of its own. */
    private static final class Scripted implements AutoCloseable {
        private final ServerSocket server;
        private final Thread thread;

        Scripted(String... answers) {
            try {
                server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
            thread = new Thread(() -> serve(answers), "scripted");
            thread.setDaemon(true);
            thread.start();
        }

        private void serve(String... answers) {
            try (Socket socket = server.accept();
                    PrintStream out = new PrintStream(socket.getOutputStream(), true, StandardCharsets.US_ASCII);
                    BufferedReader in = new BufferedReader(
                            new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
                for (String answer : answers) {
                    out.print(answer + "\r\n");
                    out.flush();
                    if (in.readLine() == null) {
                        return;
                    }
                }
            } catch (IOException e) {
                // The test has what it wants, and closes.
            }
        }

        int port() {
            return server.getLocalPort();
        }

        @Override
        public void close() {
            try {
                server.close();
                thread.join(5_000);
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
