package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The console of a gateway in a container: for the administrator, wherever the browser is. */
final class ConsoleLoginTest {
    private static final String PASSWORD = "long-enough-1";
    private static final List<String> CLOSED = List.of(
            "/georep",
            "/georep/",
            "/georep/state",
            "/georep/events",
            "/actuator/georep",
            "/actuator/georep/",
            "/actuator/georep/node",
            "/actuator//georep/node",
            "/actuator;x=y/georep/node",
            "/actuator/%67eorep/node");

    @TempDir
    Path directory;

    private static HttpResponse<String> get(Sites sites, String path, String... headers)
            throws IOException, InterruptedException {
        URI uri = URI.create("http://localhost:" + sites.managementPort(0) + path);
        HttpRequest.Builder request = HttpRequest.newBuilder(uri);
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static String basic(String password) {
        return "Basic " + Base64.getEncoder().encodeToString(("admin:" + password).getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void isForWhoKnowsThePasswordAndForNobodyElse() throws Exception {
        try (Sites sites = Sites.start(1, directory, "sms.admin.password=" + PASSWORD)) {
            for (String path : CLOSED) {
                HttpResponse<String> stranger = get(sites, path);
                assertThat(stranger.statusCode()).as(path).isEqualTo(401);
                assertThat(stranger.headers().firstValue("www-authenticate"))
                        .hasValueSatisfying(asked -> assertThat(asked).startsWith("Basic "));
            }
            assertThat(get(sites, "/actuator/georep/node", "authorization", basic(PASSWORD))
                            .statusCode())
                    .isEqualTo(200);
            assertThat(get(sites, "/georep/state", "authorization", basic("guess-guess-1"))
                            .statusCode())
                    .isEqualTo(401);
            // As a request from another machine is, for the console.
            HttpResponse<String> page =
                    get(sites, "/georep/", "x-forwarded-for", "192.0.2.1", "authorization", basic(PASSWORD));
            assertThat(page.statusCode()).isEqualTo(200);
            assertThat(page.body()).contains("<title>");
            assertThat(get(sites, "/actuator/health/liveness").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void withoutAPasswordItIsForThisMachineOnly() throws Exception {
        try (Sites sites = Sites.start(1, directory)) {
            assertThat(get(sites, "/georep/").statusCode()).isEqualTo(200);
            assertThat(get(sites, "/georep/", "x-forwarded-for", "192.0.2.1").statusCode())
                    .isEqualTo(403);
            assertThat(get(sites, "/georep/", "x-forwarded-for", "192.0.2.1", "authorization", basic(""))
                            .statusCode())
                    .isEqualTo(403);
        }
    }
}
