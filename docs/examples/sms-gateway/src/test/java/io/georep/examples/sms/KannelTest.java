package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.georep.examples.sms.demo.FreePort;
import io.georep.examples.sms.http.WebhookServer;
import io.georep.examples.sms.simulator.OperatorSimulator;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kannel as a client, with the configuration of the README: what is sent through it reaches the operator, and the receipt
 * comes back to it, although the operator gives it to the other gateway. Skipped where Kannel is not installed.
 */
final class KannelTest {
    private static final Path BEARERBOX = Path.of("/usr/sbin/bearerbox");
    private static final Path SMSBOX = Path.of("/usr/sbin/smsbox");
    private static final int DELIVERED = 2;

    private final HttpClient http = HttpClient.newHttpClient();
    private final List<Process> processes = new ArrayList<>();

    @TempDir
    Path directory;

    /** The configuration on the page, with these ports in place of those on it. */
    private static String configuration(int smpp, int admin, int boxes, int sendsms) throws IOException {
        Matcher block = Pattern.compile("(?ms)^```kannel\\n(.*?)^```$").matcher(Files.readString(Path.of("README.md")));
        assertThat(block.find()).as("a block of Kannel's configuration").isTrue();
        return block.group(1)
                .replace("port = 2781", "port = " + smpp)
                .replace("admin-port = 13000", "admin-port = " + admin)
                .replace("smsbox-port = 13001", "smsbox-port = " + boxes)
                .replace("sendsms-port = 13013", "sendsms-port = " + sendsms)
                .replace("smsc-password = ...", "smsc-password = " + Sites.PASSWORD);
    }

    private void start(Path program, Path configuration) throws IOException {
        processes.add(new ProcessBuilder(program.toString(), "-v", "1", configuration.toString())
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log(program).toFile())
                .start());
    }

    private Path log(Path program) {
        return directory.resolve(program.getFileName() + ".log");
    }

    @AfterEach
    void stop() throws InterruptedException {
        for (Process process : processes) {
            process.destroy();
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        }
    }

    private String get(int port, String path) {
        try {
            URI uri = URI.create("http://127.0.0.1:" + port + path);
            HttpRequest request =
                    HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(20)).build();
            HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
            return response.statusCode() + " " + response.body();
        } catch (IOException e) {
            return "none";
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Test
    void sendsThroughTheGatewayAndGetsTheReceipt() throws Exception {
        assumeTrue(
                Files.isExecutable(BEARERBOX) && Files.isExecutable(SMSBOX),
                "there is no Kannel here: install the Debian package kannel to run this test");
        int admin = FreePort.find();
        int boxes = FreePort.find();
        int sendsms = FreePort.find();
        try (Sites sites = Sites.start(2, directory);
                WebhookServer reports = new WebhookServer()) {
            Path configuration = directory.resolve("kannel.conf");
            Files.writeString(configuration, configuration(sites.smppPort(0), admin, boxes, sendsms));
            start(BEARERBOX, configuration);
            Await.until("Kannel to be bound", () -> get(admin, "/status.txt").contains("(online"));
            start(SMSBOX, configuration);
            Await.until("Kannel to take messages", () -> !get(sendsms, "/").equals("none"));

            String sent = get(
                    sendsms,
                    "/cgi-bin/sendsms?username=sender&password=change-me&from=GeoRep&to=%2B31201234567&text="
                            + encoded("through Kannel") + "&dlr-mask=31&dlr-url="
                            + encoded(reports.url("/report/%d/%F")));

            assertThat(sent).startsWith("202 ");
            Await.until("the operator to get it", () -> sites.received().size() == 1);
            OperatorSimulator.Received message = sites.received().element();
            assertThat(message.sms().text()).isEqualTo("through Kannel");
            assertThat(sites.operator().receipt("nyc", message, "DELIVRD", DELIVERED))
                    .isTrue();
            // 1: delivered; 8: the gateway has it. %F: the gateway's id.
            for (int state : new int[] {8, 1}) {
                Await.until(
                        "report " + state + " among " + reports.posted(),
                        () -> reports.posted().stream()
                                .anyMatch(each -> each.path().equals("/report/" + state + "/" + message.entryId())));
            }
        }
    }
}
