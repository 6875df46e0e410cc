package io.georep.examples.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.ConfigurationException;
import io.georep.model.EntryId;
import io.georep.outbox.SendInterceptor;
import io.georep.spring.Outboxes;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.unit.DataSize;

@Timeout(60)
final class EntryDoorTest {
    private static final BlockingQueue<String> ARRIVED = new LinkedBlockingQueue<>();
    private static ConfigurableApplicationContext host;

    @BeforeAll
    static void start() {
        SpringApplication application = new SpringApplication(ConnectorHostApplication.class, NeverSent.class);
        host = application.run(
                "--server.port=0",
                "--spring.mvc.async.request-timeout=2s",
                "--management.server.port=0",
                "--georep.node-id=n1",
                "--georep.durability=memory",
                "--georep.outboxes.alarms.f=0",
                "--door.outboxes=alarms,unknown");
        host.getBean(Outboxes.class)
                .outbox("alarms", byte[].class)
                .forward(delivery -> ARRIVED.add(new String(delivery.payload(), StandardCharsets.UTF_8)));
    }

    @AfterAll
    static void stop() {
        host.close();
    }

    /** What is sent to one of the outboxes has no outcome. */
    static class NeverSent implements SendInterceptor {
        @Override
        public <T> List<CompletionStage<EntryId>> send(Call<T> call, Next<T> next) {
            return call.queue().equals("unknown") ? List.of(new CompletableFuture<>()) : next.send(call);
        }
    }

    private static HttpResponse<String> post(String outbox, String type, String body)
            throws IOException, InterruptedException {
        return post(outbox, type, "*/*", body);
    }

    private static HttpResponse<String> post(String outbox, String type, String accept, String body)
            throws IOException, InterruptedException {
        String port = host.getEnvironment().getProperty("local.server.port");
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/entries/" + outbox))
                                .header("content-type", type)
                                .header("accept", accept)
                                .POST(HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    /** Nobody else reads the body first: then the entry would be empty, and acknowledged. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/octet-stream",
                "application/json",
                "application/x-www-form-urlencoded",
                "multipart/form-data; boundary=x"
            })
    void theBodyIsTheEntryWhateverItsType(String type) throws Exception {
        String body = "--x\r\ncontent-disposition: form-data; name=\"a\"\r\n\r\nwater=1&b=2\r\n--x--\r\n";

        assertThat(post("alarms", type, body).statusCode()).isEqualTo(201);

        assertThat(ARRIVED.poll(30, TimeUnit.SECONDS)).isEqualTo(body);
    }

    /** The entry is stored by then: whoever is told 406 sends it again. */
    @ParameterizedTest
    @ValueSource(strings = {"", "nonsense", "a/b/c", "application/json", "image/png", "text/plain;q=0"})
    void noAcceptRefusesAnEntryThatIsStored(String accept) throws Exception {
        HttpResponse<String> answer = post("alarms", "text/plain", accept, "water");

        assertThat(ARRIVED.poll(30, TimeUnit.SECONDS)).isEqualTo("water");
        assertThat(answer.statusCode()).isEqualTo(201);
        assertThat(answer.headers().firstValue("content-type")).contains("text/plain");
        assertThat(answer.body()).startsWith("n1");
    }

    /** Else each post would fail, or its payload would not fit into an array. */
    @ParameterizedTest
    @ValueSource(strings = {"-1B", "0", "65MB", "3GB", "9223372036854775807B"})
    void aBoundForPayloadsThatCannotBeKeptIsRefusedAtTheStart(String max) {
        SpringApplication application = new SpringApplication(ConnectorHostApplication.class);
        application.setRegisterShutdownHook(false);

        assertThatThrownBy(() -> application
                        .run("--server.port=0", "--georep.durability=memory", "--door.payload-max=" + max)
                        .close())
                .hasRootCauseInstanceOf(ConfigurationException.class)
                .rootCause()
                .hasMessageContaining("door.payload-max is " + DataSize.parse(max))
                .hasMessageContaining("67108864B");
    }

    @Test
    void theConsoleIsOnTheManagementPort() throws Exception {
        String port = host.getEnvironment().getProperty("local.management.port");
        HttpRequest page = HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/georep/"))
                .build();
        HttpResponse<String> answer = HttpClient.newHttpClient().send(page, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.body()).contains("GeoRep console");
    }

    /** 503 would say that nothing was stored. */
    @Test
    void nobodyKnowsWhatBecameOfAnEntryWithoutAnOutcome() throws Exception {
        assertThat(post("unknown", "text/plain", "water").statusCode()).isEqualTo(504);
    }
}
