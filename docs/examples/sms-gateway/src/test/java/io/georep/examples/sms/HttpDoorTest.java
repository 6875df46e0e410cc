package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.examples.sms.http.RawHttp;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The HTTP door with strangers in front of it. */
final class HttpDoorTest {
    private static final int THREADS = 4;
    private static final int BODY_MAX = 16 * 1024;
    private static final String GOOD = "{\"from\":\"GeoRep\",\"to\":\"+31201234567\",\"text\":\"x\"}";

    private static Sites sites;

    @BeforeAll
    static void start(@TempDir Path directory) throws IOException {
        sites = Sites.start(
                2,
                directory,
                // There Spring Boot would believe headers of proxies unless told otherwise.
                "spring.main.cloud-platform=kubernetes",
                "server.tomcat.threads.max=" + THREADS,
                "server.tomcat.threads.min-spare=" + THREADS,
                "sms.http.body-bytes-max=" + BODY_MAX,
                "sms.http.body-within=2s",
                "sms.http.header-within=1s",
                // Both end at about the same time: the answer has to be the same.
                "server.tomcat.connection-timeout=2s");
    }

    @AfterAll
    static void stop() {
        sites.close();
    }

    private static RawHttp connect() throws IOException {
        return new RawHttp(sites.httpPort(0), Duration.ofSeconds(10));
    }

    private static String header(String framing) {
        return RawHttp.header(Sites.ACCOUNT, Sites.PASSWORD, framing);
    }

    @Test
    void theConsoleIsOnTheManagementPort() throws Exception {
        assertThat(sites.probe(0, "/georep/")).isEqualTo(200);
        assertThat(sites.probe(0, "/georep/state")).isEqualTo(200);
    }

    @Test
    void refusesABodyThatIsAnnouncedTooLongWithoutReadingIt() throws Exception {
        try (RawHttp http = connect()) {
            http.send(header("Content-Length: 100000000"));

            assertTooLong(http.receive("}"));
        }
    }

    @Test
    void refusesABodyInChunksThatGetsTooLong() throws Exception {
        try (RawHttp http = connect()) {
            http.send(header("Transfer-Encoding: chunked"));
            http.sendChunks(100, BODY_MAX);

            assertTooLong(http.receive("}"));
        }
    }

    @Test
    void refusesABodyThatIsTooLongBecauseOfAFieldItDoesNotKnow() throws Exception {
        HttpResponse<String> response = sites.post(0, field("y".repeat(BODY_MAX)));

        assertThat(response.statusCode()).isEqualTo(413);
        assertThat(response.body()).contains("urn:sms-gateway:too-long", "sms.http.body-bytes-max");
        assertThat(sites.post(0, field("y".repeat(BODY_MAX / 2))).statusCode()).isEqualTo(202);
    }

    /** It would reach the phone as another one. */
    @Test
    void refusesHalfACharacter() throws Exception {
        HttpResponse<String> response = sites.post(0, GOOD.replace("\"x\"", "\"x\\ud83d\""));

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("urn:sms-gateway:invalid");
        assertThat(sites.post(0, GOOD.replace("\"x\"", "\"\\ud83d\\ude00\"")).statusCode())
                .isEqualTo(202);
    }

    private static String field(String value) {
        return GOOD.replace("{", "{\"unknown\":\"" + value + "\",");
    }

    private static void assertTooLong(String answer) {
        assertThat(answer)
                .startsWith("HTTP/1.1 413")
                .contains("application/problem+json", "urn:sms-gateway:too-long", "" + BODY_MAX);
    }

    private static Duration timeToServe(int site) throws Exception {
        long begin = System.nanoTime();
        assertThat(sites.post(site, GOOD).statusCode()).isEqualTo(202);
        assertThat(sites.probe(site, "/actuator/health/liveness")).isEqualTo(200);
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 5000", "Transfer-Encoding: chunked"})
    void goesOnWhileManyPostSlowly(String framing) throws Exception {
        List<RawHttp> slow = new ArrayList<>();
        assertThat(sites.post(0, GOOD).statusCode()).isEqualTo(202);
        try {
            for (String password : List.of(Sites.PASSWORD, "wrong")) {
                for (int i = 0; i < 20 * THREADS; i++) {
                    // Who guesses is slowed down, and with him who has the right password at his address.
                    String from = password.equals(Sites.PASSWORD) ? "127.0.0.7" : "127.0.0.8";
                    RawHttp http = new RawHttp(sites.httpPort(0), Duration.ofSeconds(10), from);
                    http.send(RawHttp.header(Sites.ACCOUNT, password, framing) + "5");
                    slow.add(http);
                }
            }
            Duration atTheOther = timeToServe(1);

            Duration here = timeToServe(0);

            assertThat(here)
                    .as("compared with the other gateway, which nobody keeps waiting")
                    .isLessThan(atTheOther.multipliedBy(20).plusSeconds(5));
            for (RawHttp http : slow.subList(0, slow.size() / 2)) {
                assertThat(http.receive("}")).startsWith("HTTP/1.1 408").contains("urn:sms-gateway:too-slow");
            }
            assertThat(slow.get(slow.size() - 1).receive("}"))
                    .as("429 unless this machine is so slow that the guesses are")
                    .containsPattern("^HTTP/1.1 4(01|29)");
        } finally {
            for (RawHttp http : slow) {
                http.close();
            }
        }
    }

    /** Tomcat answers these itself, before anybody is asked for an account. See {@code BoundedProtocolTest}. */
    @ParameterizedTest
    @ValueSource(strings = {"POST /WEB-INF/x", "TRACE /messages", "OPTIONS *", "POST /messages%2f..%2fx"})
    void readsNoBodyOfWhatItHasNoPlaceFor(String line) throws Exception {
        try (RawHttp http = connect()) {
            http.send(line + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\nx");

            assertThat(http.receive("until it is closed")).startsWith("HTTP/1.1 ");
        }
    }

    /** Each byte is in time; all of them would not be. The same for the next request, which is an account's no longer. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3})
    void aHeaderThatComesByteByByteHasADeadline(int requestsBefore) throws Exception {
        try (RawHttp http = new RawHttp(sites.httpPort(0), Duration.ofSeconds(10), "127.0.0.8")) {
            for (int i = 0; i < requestsBefore; i++) {
                http.send(header("Content-Length: " + GOOD.length()) + GOOD);
                assertThat(http.receive("\"}")).startsWith("HTTP/1.1 202");
            }
            Thread slow = new Thread(() -> {
                try {
                    http.send("POST /messages HTTP/1.1\r\nHost: ");
                    while (true) {
                        http.send("x");
                        LockSupport.parkNanos(100_000_000);
                    }
                } catch (IOException e) {
                    // The door has closed the connection.
                }
            });
            slow.start();
            slow.join(Duration.ofSeconds(Await.SECONDS_MAX).toMillis());
            assertThat(slow.isAlive()).as("still allowed to send").isFalse();
        }
    }

    @Test
    void letsNobodyInWithoutAnAccount() throws Exception {
        for (String header : List.of(
                RawHttp.header(Sites.ACCOUNT, "wrong", "Content-Length: " + GOOD.length()),
                RawHttp.header("nobody", Sites.PASSWORD, "Content-Length: " + GOOD.length()),
                header("Content-Length: " + GOOD.length()).replaceAll("Authorization: .*\r\n", ""),
                header("Content-Length: " + GOOD.length()).replaceAll("Basic .*\r\n", "Basic ?\r\n"))) {
            try (RawHttp http = connect()) {
                http.send(header + GOOD);

                assertThat(http.receive("}"))
                        .startsWith("HTTP/1.1 401")
                        .containsIgnoringCase("WWW-Authenticate: Basic")
                        .contains("application/problem+json", "urn:sms-gateway:unknown-account");
            }
        }
    }

    /** Else whoever guesses would have as many addresses as he likes. */
    @Test
    void believesNoHeaderThatNamesAnAddress() throws Exception {
        String answer = "";
        for (int i = 0; i < 300 && !answer.startsWith("HTTP/1.1 429"); i++) {
            try (RawHttp http = new RawHttp(sites.httpPort(0), Duration.ofSeconds(10), "127.0.0.9")) {
                String names = "X-Forwarded-For: 10.0.0." + i % 256 + "\r\nForwarded: for=10.0.0." + i % 256;
                http.send(RawHttp.header("nobody" + i % 10, "wrong", names + "\r\nContent-Length: 0"));
                answer = http.receive("}");
            }
        }

        assertThat(answer).startsWith("HTTP/1.1 429");
    }

    @Test
    void slowsAnAccountDownToItsRate(@TempDir Path directory) throws Exception {
        try (Sites slow = Sites.start(2, directory, "sms.accounts." + Sites.ACCOUNT + ".rate=1")) {
            List<Integer> statuses = new ArrayList<>();
            HttpResponse<String> last;
            do {
                last = slow.post(0, GOOD);
                statuses.add(last.statusCode());
            } while (last.statusCode() != 429 && statuses.size() < 200);

            assertThat(statuses).contains(202, 429);
            assertThat(last.body()).contains("sms.accounts." + Sites.ACCOUNT + ".rate");
        }
    }

    /** HostileSmppTest has them elsewhere. */
    @Test
    void isOnThisMachineOnlyUnlessToldOtherwise() {
        for (int port : List.of(sites.httpPort(0), sites.smppPort(0), sites.managementPort(0))) {
            assertThat(Sites.answers("127.0.0.1", port)).isTrue();
            assertThat(Sites.answers("127.0.0.2", port)).isFalse();
        }
    }

    @Test
    void keepsProbesAndFiguresAwayFromItsClients() throws Exception {
        assertThat(sites.probe(0, "/actuator/health/readiness")).isEqualTo(200);
        try (RawHttp http = connect()) {
            http.send(header("Content-Length: 0").replace("POST /messages", "GET /actuator/metrics"));

            assertThat(http.receive("\r\n\r\n")).startsWith("HTTP/1.1 404");
        }
    }
}
