package io.georep.spring.boot.actuate;

import io.georep.GeoRepNode;
import io.georep.model.NodeId;
import io.georep.spring.Outboxes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A whole application with a web server on a free port, asked over HTTP as an operator would. */
final class HttpNode implements AutoCloseable {
    static final Duration SOON = Duration.ofSeconds(60);

    /** What came back; the body is a missing node when there was none. */
    record Answer(int status, JsonNode body) {
        String message() {
            return body.path("message").asString("");
        }
    }

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final JsonMapper JSON = JsonMapper.builder().build();

    final ConfigurableApplicationContext context;
    private final String base;

    HttpNode(List<Class<?>> beans, String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "georep.durability=memory",
                "georep.close-timeout=1s",
                "server.port=0",
                "server.address=127.0.0.1",
                "management.endpoints.web.exposure.include=georep,health",
                "spring.main.banner-mode=off",
                "logging.level.root=warn"));
        all.addAll(Arrays.asList(properties));
        List<Class<?>> sources = new ArrayList<>(beans);
        sources.add(Application.class);
        context = new SpringApplicationBuilder(sources.toArray(Class<?>[]::new))
                .web(WebApplicationType.SERVLET)
                .properties(all.toArray(String[]::new))
                .run();
        base = "http://127.0.0.1:" + context.getEnvironment().getRequiredProperty("local.server.port") + "/actuator/";
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    GeoRepNode node() {
        return context.getBean(GeoRepNode.class);
    }

    NodeId id() {
        return node().identity().id();
    }

    Outboxes outboxes() {
        return context.getBean(Outboxes.class);
    }

    Answer get(String path) {
        return ask(request(path).GET());
    }

    Answer delete(String path) {
        return ask(request(path).DELETE());
    }

    Answer post(String path, String json) {
        return ask(request(path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json)));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(base + path)).timeout(SOON);
    }

    private static Answer ask(HttpRequest.Builder request) {
        try {
            HttpResponse<String> response = CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
            JsonNode body = response.body().isEmpty() ? JSON.missingNode() : JSON.readTree(response.body());
            return new Answer(response.statusCode(), body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        context.close();
    }
}
