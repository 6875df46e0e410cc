package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.georep.examples.sms.demo.SmppClient;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.jsmpp.SMPPConstant;
import org.jsmpp.extra.NegativeResponseException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three gateways from the door to the operator. */
final class GatewayTest {
    private static Sites sites;

    @BeforeAll
    static void start(@TempDir Path directory) throws IOException {
        sites = Sites.start(3, directory);
    }

    @AfterAll
    static void stop() {
        sites.close();
    }

    @Test
    void forwardsWhatSmppClientsSubmit() throws Exception {
        for (int site = 0; site < 3; site++) {
            String text = "by SMPP at site " + site;
            try (SmppClient client = sites.client(site)) {
                String id = client.submit("GeoRep", "+31201234567", text);

                assertThat(id).startsWith(sites.node(site).identity().id().value() + ":");
            }
            Await.until("the operator to get it", () -> sites.texts().contains(text));
        }
    }

    @Test
    void forwardsWhatHttpClientsPost() throws Exception {
        HttpResponse<String> response =
                sites.post(1, "{\"from\":\"GeoRep\",\"to\":\"+31201234567\",\"text\":\"Grüße, 世界\"}");

        assertThat(response.statusCode()).isEqualTo(202);
        assertThat(response.body()).contains("\"id\":\"nyc-1:");
        Await.until("the operator to get it", () -> sites.texts().contains("Grüße, 世界"));
    }

    @Test
    void carriesTextsLongerThanOneShortMessage() throws Exception {
        String text = "long ".repeat(100);

        try (SmppClient client = sites.client(0)) {
            client.submit("GeoRep", "+31201234567", text);
        }

        Await.until("the operator to get it", () -> sites.texts().contains(text));
    }

    @Test
    void refusesTextsThatAreTooLong() throws Exception {
        String text = "x".repeat(1601);

        try (SmppClient client = sites.client(0)) {
            NegativeResponseException refusal = catchThrowableOfType(
                    NegativeResponseException.class, () -> client.submit("GeoRep", "+31201234567", text));
            assertThat(refusal.getCommandStatus()).isEqualTo(SMPPConstant.STAT_ESME_RINVMSGLEN);
        }
        HttpResponse<String> response =
                sites.post(0, "{\"from\":\"GeoRep\",\"to\":\"+31201234567\",\"text\":\"" + text + "\"}");
        assertThat(response.statusCode()).isEqualTo(413);
        assertThat(response.body()).contains("urn:sms-gateway:too-long", "1601");
    }

    @Test
    void answersInvalidRequestsWithProblemDetails() throws Exception {
        assertInvalid("{\"to\":\"+31201234567\",\"text\":\"x\"}", "from is missing");
        assertInvalid("{\"from\":\"GeoRep\",\"text\":\"x\"}", "to is missing");
        assertInvalid("{\"from\":\"GeoRep\",\"to\":\"+31201234567\"}", "text is missing");
        assertInvalid("{\"from\":\"GeoRep\",\"to\":\"+31-20\",\"text\":\"x\"}", "to is wrong");
        assertInvalid("{\"from\":\"GeoRep\",\"to\":\"Bob\",\"text\":\"x\"}", "only a telephone number");
        assertInvalid("{\"from\":", "");
        assertInvalid("[1,2]", "");
    }

    private static void assertInvalid(String json, String detail) throws Exception {
        HttpResponse<String> response = sites.post(2, json);

        assertThat(response.statusCode()).as(json).isEqualTo(400);
        assertThat(response.headers().firstValue("content-type")).hasValue("application/problem+json");
        assertThat(response.body()).contains(detail);
    }

    @Test
    void goesOnAfterBytesThatAreNotSmpp() throws Exception {
        try (Socket socket = new Socket("localhost", sites.smppPort(0))) {
            socket.setSoTimeout((int) Await.SECONDS_MAX * 1000);
            socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes());

            byte[] answer = new DataInputStream(socket.getInputStream()).readAllBytes();

            assertThat(answer).as("a generic_nack, then the end").hasSizeBetween(0, 16);
        }
        try (SmppClient client = sites.client(0)) {
            assertThat(client.submit("GeoRep", "+31201234567", "still here")).isNotEmpty();
        }
    }
}
