package io.georep.spring.boot.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.ClosedException;
import io.georep.model.EntryId;
import io.georep.model.IndeterminateException;
import io.georep.model.RejectedException;
import io.georep.model.RejectedException.Reason;
import io.georep.outbox.Outbox;
import io.georep.spring.OutboxName;
import io.georep.spring.ReplicatedQueue;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ProblemDetailsTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private static ConfigurableApplicationContext application;

    @BeforeAll
    static void start() {
        application = application("georep.cluster=problems"); // nothing about them
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @ParameterizedTest
    @CsvSource({
        "QUEUE_FULL,429,urn:georep:queue-full,1",
        "PAYLOAD_TOO_LARGE,413,urn:georep:payload-too-large,",
        "TOO_FEW_PEERS,503,urn:georep:unavailable,1",
        "STORE_FULL,503,urn:georep:unavailable,1",
        "STORE_STALLED,503,urn:georep:unavailable,1",
        "LEAVING,503,urn:georep:unavailable,1",
        "closed,503,urn:georep:unavailable,1",
        "indeterminate,504,urn:georep:indeterminate,"
    })
    void theStatusSaysWhatTheClientMayDo(String kind, int status, String type, String retryAfter) throws Exception {
        HttpResponse<String> answer = get(application, "/fail/" + kind);

        JsonNode problem = JsonMapper.builder().build().readTree(answer.body());
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.headers().firstValue("content-type")).contains("application/problem+json");
        assertThat(answer.headers().firstValue("retry-after").orElse(null)).isEqualTo(retryAfter);
        assertThat(problem.get("type").asString()).isEqualTo(type);
        assertThat(problem.get("detail").asString()).isNotBlank();
        assertThat(answer.body()).as("what a node says about itself").doesNotContain("inner");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/send", "/put"})
    void aSendThatFindsNoOtherNodeIsUnavailable(String path) throws Exception {
        assertThat(get(application, path).statusCode()).isEqualTo(503);
    }

    @Test
    void nothingChangesIfNotWanted() throws Exception {
        try (ConfigurableApplicationContext plain = application("georep.web.problem-details=false")) {
            assertThat(get(plain, "/fail/QUEUE_FULL").statusCode()).isEqualTo(500);
        }
    }

    private static HttpResponse<String> get(ConfigurableApplicationContext context, String path) throws Exception {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        return CLIENT.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static ConfigurableApplicationContext application(String property) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.SERVLET)
                .properties(
                        property,
                        "georep.node-id=n1",
                        "georep.durability=memory",
                        "georep.host=127.0.0.1",
                        "georep.port=0",
                        "georep.expected-away=0",
                        "server.port=0",
                        "server.address=127.0.0.1",
                        "spring.main.banner-mode=off",
                        "logging.level.root=warn",
                        "logging.level.org.apache.catalina.core=off")
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    static class Queues {
        @Bean
        @ReplicatedQueue
        BlockingQueue<String> mail() {
            return new LinkedBlockingQueue<>(10);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Queues.class)
    @RestController
    static class Application {
        private final Outbox<String> sms;

        private final BlockingQueue<String> mail;

        Application(@OutboxName("sms") Outbox<String> sms, BlockingQueue<String> mail) {
            this.sms = sms;
            this.mail = mail;
        }

        @GetMapping("/put")
        void put() throws InterruptedException {
            mail.put("hello");
        }

        @GetMapping("/send")
        CompletionStage<EntryId> send() {
            return sms.send("hello");
        }

        @GetMapping("/fail/{kind}")
        String fail(@PathVariable("kind") String kind) {
            throw switch (kind) {
                case "closed" -> new ClosedException("inner words");
                case "indeterminate" -> new IndeterminateException("inner words");
                default -> new RejectedException(Reason.valueOf(kind), "inner words");
            };
        }
    }
}
