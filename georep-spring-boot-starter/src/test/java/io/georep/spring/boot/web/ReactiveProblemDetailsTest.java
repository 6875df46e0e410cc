package io.georep.spring.boot.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.ClosedException;
import io.georep.model.IndeterminateException;
import io.georep.model.RejectedException;
import io.georep.model.RejectedException.Reason;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.webflux.autoconfigure.HttpHandlerAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.EntityExchangeResult;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What {@link ProblemDetailsTest} shows of servlet applications, of reactive ones. */
class ReactiveProblemDetailsTest {
    private final ReactiveWebApplicationContextRunner application = new ReactiveWebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    JacksonAutoConfiguration.class,
                    HttpHandlerAutoConfiguration.class,
                    WebFluxAutoConfiguration.class,
                    GeoRepProblemAutoConfiguration.class))
            .withUserConfiguration(Application.class);

    @ParameterizedTest
    @CsvSource({
        "QUEUE_FULL,429,urn:georep:queue-full,1",
        "PAYLOAD_TOO_LARGE,413,urn:georep:payload-too-large,",
        "TOO_FEW_PEERS,503,urn:georep:unavailable,1",
        "closed,503,urn:georep:unavailable,1",
        "indeterminate,504,urn:georep:indeterminate,"
    })
    void theStatusSaysWhatTheClientMayDo(String kind, int status, String type, String retryAfter) {
        application.run(context -> {
            EntityExchangeResult<String> answer = get(context, "/fail/" + kind);

            JsonNode problem = JsonMapper.builder().build().readTree(answer.getResponseBody());
            HttpHeaders headers = answer.getResponseHeaders();
            assertThat(answer.getStatus().value()).isEqualTo(status);
            assertThat(headers.getContentType()).isEqualTo(MediaType.APPLICATION_PROBLEM_JSON);
            assertThat(headers.getFirst(HttpHeaders.RETRY_AFTER)).isEqualTo(retryAfter);
            assertThat(problem.get("type").asString()).isEqualTo(type);
            assertThat(problem.get("detail").asString()).isNotBlank().doesNotContain("inner");
        });
    }

    @Test
    void nothingChangesIfNotWanted() {
        application
                .withPropertyValues("georep.web.problem-details=false")
                .run(context -> assertThat(
                                get(context, "/fail/QUEUE_FULL").getStatus().value())
                        .isEqualTo(500));
    }

    private static EntityExchangeResult<String> get(ApplicationContext context, String path) {
        return WebTestClient.bindToApplicationContext(context)
                .configureClient()
                .responseTimeout(Duration.ofMinutes(1))
                .build()
                .get()
                .uri(path)
                .exchange()
                .expectBody(String.class)
                .returnResult();
    }

    @Configuration(proxyBeanMethods = false)
    @RestController
    static class Application {
        @GetMapping("/fail/{kind}")
        CompletionStage<String> fail(@PathVariable("kind") String kind) {
            return CompletableFuture.failedFuture(
                    switch (kind) {
                        case "closed" -> new ClosedException("inner words");
                        case "indeterminate" -> new IndeterminateException("inner words");
                        default -> new RejectedException(Reason.valueOf(kind), "inner words");
                    });
        }
    }
}
