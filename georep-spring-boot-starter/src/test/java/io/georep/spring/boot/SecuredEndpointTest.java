package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.spring.OutboxListener;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/**
 * An application with Spring Security and the class of docs/operate/operations.md, as it stands there: who may read and write with the
 * endpoint {@code georep} and with the console, and that everything else is as Spring Boot does it. Needs Spring Security, which only the surefire
 * execution {@code spring-security} has on its class path.
 */
@Tag("spring-security")
@Timeout(300)
class SecuredEndpointTest {
    private static final String PAGE = "docs/operate/operations.md";
    private static final String QUEUE = "/actuator/georep/outboxes/mail";
    private static final String LETTERS = "/actuator/georep/dead-letters/mail";
    private static final String JSON = "application/json";
    private static final String PAUSE = "{\"action\": \"pause\"}";

    /** Who they are; each has a password like the name. */
    private static final String NOBODY = "";

    private static final String READER = "reader";
    private static final String WRITER = "writer";
    private static final String BOTH = "both";
    private static final String STRANGER = "stranger";

    private static final String USERS = """
            import org.springframework.context.annotation.Bean;
            import org.springframework.context.annotation.Configuration;
            import org.springframework.security.core.userdetails.User;
            import org.springframework.security.core.userdetails.UserDetails;
            import org.springframework.security.core.userdetails.UserDetailsService;
            import org.springframework.security.provisioning.InMemoryUserDetailsManager;

            @Configuration(proxyBeanMethods = false)
            class Users {
                @Bean
                UserDetailsService fourOfThem() {
                    return new InMemoryUserDetailsManager(
                            user("reader", "GEOREP_READ"),
                            user("writer", "GEOREP_WRITE"),
                            user("both", "GEOREP_READ", "GEOREP_WRITE"),
                            user("stranger", "ACCOUNTING"));
                }

                private static UserDetails user(String name, String... roles) {
                    return User.withUsername(name).password("{noop}" + name).roles(roles).build();
                }
            }
            """;

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @TempDir
    static Path directory;

    private static ConfigurableApplicationContext context;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    static class Receiver {
        @OutboxListener("mail")
        void forward(String payload) {}
    }

    @BeforeAll
    static void start() {
        Map<String, String> files =
                Map.of("EndpointSecurity", SnippetPage.file(PAGE, "class EndpointSecurity"), "Users", USERS);
        context = new SpringApplicationBuilder(Application.class, Receiver.class)
                .sources(SnippetPage.compiled(files, directory).toArray(Class<?>[]::new))
                .web(WebApplicationType.SERVLET)
                .properties(
                        "georep.node-id=n1",
                        "georep.durability=memory",
                        "georep.close-timeout=1s",
                        "server.port=0",
                        "server.address=127.0.0.1",
                        "management.endpoints.web.exposure.include=georep,health,metrics",
                        "management.endpoint.georep.access=unrestricted",
                        "georep.console.enabled=true",
                        "spring.main.banner-mode=off",
                        "logging.level.root=warn")
                .run();
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    private static int status(String user, String method, String path, String type, String body) {
        try {
            return CLIENT.send(request(user, method, path, type, body), HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static HttpRequest request(String user, String method, String path, String type, String body) {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(60))
                .header("Content-Type", type)
                .method(method, HttpRequest.BodyPublishers.ofString(body));
        if (!user.equals(NOBODY)) {
            byte[] both = (user + ":" + user).getBytes(StandardCharsets.UTF_8);
            request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(both));
        }
        return request.build();
    }

    private static int get(String user, String path) {
        return status(user, "GET", path, JSON, "");
    }

    private static int post(String user, String path) {
        return status(user, "POST", path, JSON, PAUSE);
    }

    private static int delete(String user) {
        return status(user, "DELETE", LETTERS + "?ids=*", JSON, "");
    }

    @Test
    void oneRoleReads() {
        for (String path : List.of("/actuator/georep", "/actuator/georep/peers", QUEUE, LETTERS)) {
            assertThat(get(NOBODY, path)).as(path).isEqualTo(401);
            assertThat(get(STRANGER, path)).as(path).isEqualTo(403);
            assertThat(get(WRITER, path)).as(path).isEqualTo(403);
            assertThat(get(READER, path)).as(path).isEqualTo(200);
        }
    }

    @Test
    void theConsoleIsForTheSamePeople() {
        for (String path : List.of("/georep", "/georep/", "/georep/console.js", "/georep/state")) {
            assertThat(get(NOBODY, path)).as(path).isEqualTo(401);
            assertThat(get(STRANGER, path)).as(path).isEqualTo(403);
            assertThat(get(READER, path)).as(path).isLessThan(400);
        }
        assertThat(get(NOBODY, "/georep/events")).isEqualTo(401);
    }

    /** Also through the filters of Spring Security, which wrap what a servlet writes. */
    @Test
    void theConsoleIsKeptUpToDate() throws IOException, InterruptedException {
        HttpRequest request = request(READER, "GET", "/georep/events", JSON, "");
        HttpResponse<InputStream> page = CLIENT.send(request, HttpResponse.BodyHandlers.ofInputStream());
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(page.body(), StandardCharsets.UTF_8))) {
            assertThat(lines.readLine()).isEqualTo("event: state");
            assertThat(lines.readLine()).contains("\"queue/mail\"");
            assertThat(lines.readLine()).isEmpty();
            assertThat(lines.readLine()).isEqualTo("event: change");
        }
    }

    @Test
    void anotherRoleWrites() {
        assertThat(post(NOBODY, QUEUE)).isEqualTo(401);
        assertThat(delete(NOBODY)).isEqualTo(401);
        for (String user : List.of(STRANGER, READER)) {
            assertThat(post(user, QUEUE)).as(user).isEqualTo(403);
            assertThat(delete(user)).as(user).isEqualTo(403);
        }
        for (String user : List.of(WRITER, BOTH)) {
            assertThat(post(user, QUEUE)).as(user).isLessThan(300);
            assertThat(delete(user)).as(user).isLessThan(300);
        }
        assertThat(get(BOTH, QUEUE)).isEqualTo(200);
    }

    @Test
    void theConsoleTakesOrdersFromWhoMayWrite() {
        String pause = "{\"part\": \"outboxes\", \"name\": \"mail\", \"action\": \"pause\"}";
        assertThat(ordered(NOBODY, pause)).isEqualTo(401);
        String remove = "{\"part\": \"peers\", \"name\": \"n2\", \"action\": \"remove\"}";
        String stop = "{\"part\": \"connectors\", \"name\": \"all\", \"action\": \"stop\"}";
        for (String order : List.of(pause, remove, stop)) {
            assertThat(ordered(READER, order)).as(order).isEqualTo(403);
        }
        assertThat(ordered(BOTH, remove)).as("there is no such node").isEqualTo(400);
        assertThat(ordered(BOTH, stop)).as("there is no such connector").isEqualTo(404);
        try (CapturedChanges log = new CapturedChanges()) {
            assertThat(ordered(BOTH, pause)).isEqualTo(200);
            assertThat(log.all())
                    .anySatisfy(line -> assertThat(line.getFormattedMessage())
                            .contains("operator both ordered pause of outboxes mail"));
        }
    }

    @Test
    void theConsoleShowsPayloadsToWhoMayWrite() {
        String wanted = "{\"name\": \"mail\", \"ids\": [\"n1:1:0:100\"]}";
        assertThat(sent(NOBODY, "payload", wanted)).isEqualTo(401);
        assertThat(sent(READER, "payload", wanted)).isEqualTo(403);
        assertThat(sent(BOTH, "payload", wanted)).as("there is no such entry").isEqualTo(404);
    }

    private static int ordered(String user, String order) {
        return sent(user, "orders", order);
    }

    private static int sent(String user, String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(
                        request(user, "POST", "/georep/" + path, JSON, body), (name, value) -> true)
                .header("X-GeoRep-Console", "order")
                .build();
        try {
            return CLIENT.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** A page of another site can make a browser that knows the password send forms and plain texts, but no JSON. */
    @Test
    void aPageOfAnotherSiteCannotWrite() {
        for (String type : List.of("text/plain", "application/x-www-form-urlencoded")) {
            assertThat(status(WRITER, "POST", QUEUE, type, PAUSE)).as(type).isEqualTo(415);
        }
    }

    @Test
    void everythingElseIsAsSpringBootDoesIt() {
        assertThat(get(NOBODY, "/actuator/health")).isEqualTo(200);
        assertThat(get(NOBODY, "/actuator/metrics")).isEqualTo(401);
        assertThat(get(STRANGER, "/actuator/metrics")).isEqualTo(200);
        assertThat(get(NOBODY, "/messages")).isEqualTo(401);
        assertThat(get(STRANGER, "/messages")).isEqualTo(404);
        assertThat(post(STRANGER, "/messages")).as("without a CSRF token").isIn(401, 403);
    }
}
