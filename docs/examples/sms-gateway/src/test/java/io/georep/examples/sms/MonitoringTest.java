package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.georep.examples.sms.demo.FreePort;
import io.georep.flagons.FleetStatistics;
import io.georep.keys.KeySpaceStatistics;
import io.georep.model.Measures;
import io.micrometer.core.instrument.Meter;
import io.micrometer.prometheusmetrics.PrometheusNamingConvention;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The dashboards and alerts of {@code docs/examples/monitoring}, with three gateways and Debian's Prometheus. */
final class MonitoringTest {
    private static final Path FILES = Path.of("..", "monitoring");
    private static final Path RULES = FILES.resolve("rules.yml");
    private static final Path PROMETHEUS = Path.of("/usr/bin/prometheus");
    private static final Pattern FIGURE = Pattern.compile("georep_\\w+");

    /** Figures of what the gateways do not have. Those of connectors are compared where they are made, in the starter. */
    private static final Pattern OF_OTHERS = Pattern.compile("georep_(fleet|keys|connector)_\\w+");

    private static final Pattern OF_PROTOCOLS = Pattern.compile("georep_(fleet|keys)_\\w+");

    @TempDir
    Path directory;

    private final HttpClient http = HttpClient.newHttpClient();
    private Process prometheus;
    private int port;

    @AfterEach
    void stop() throws InterruptedException {
        if (prometheus != null) {
            prometheus.destroy();
            if (!prometheus.waitFor(10, TimeUnit.SECONDS)) {
                prometheus.destroyForcibly().waitFor();
            }
        }
    }

    @Test
    @Tag("servers")
    void everyPanelAndRuleHasDataAndADeadGatewayIsTold() throws Exception {
        assumeTrue(Files.isExecutable(PROMETHEUS), "no Prometheus");
        try (Sites sites = Sites.start(3, directory.resolve("sites"), "spring.profiles.active={site},shared,credit")) {
            start(sites);
            for (String query : panels()) {
                if (!OF_OTHERS.matcher(query).find()) {
                    Await.until(
                            "data for " + query,
                            () -> !ask("query", "query", query)
                                    .path("data")
                                    .path("result")
                                    .isEmpty());
                }
            }
            Set<String> names = ask("label/__name__/values", "", "")
                    .path("data")
                    .valueStream()
                    .map(JsonNode::asString)
                    .collect(Collectors.toSet());
            assertThat(names)
                    .containsAll(inRules()
                            .filter(name -> !OF_OTHERS.matcher(name).matches())
                            .toList());
            assertThat(firing()).isEmpty();

            sites.operator().throttle(true);
            sites.post(0, "{\"from\":\"GeoRep\",\"to\":\"+31201234567\",\"text\":\"x\"}");
            sites.crash(0);

            Set<String> expected = Set.of("GeoRepNodeAway", "GeoRepPeerGivenUp", "GeoRepAdopted");
            Await.until("alerts", () -> firing().containsAll(expected));
        }
    }

    @Test
    @Tag("servers")
    void promtoolAgrees() throws Exception {
        assumeTrue(Files.isExecutable(PROMETHEUS), "no Prometheus");
        for (List<String> command : List.of(
                List.of("promtool", "check", "rules", "rules.yml"),
                List.of("promtool", "test", "rules", "rules-test.yml"))) {
            Process process = new ProcessBuilder(command)
                    .directory(FILES.toFile())
                    .redirectErrorStream(true)
                    .start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(said).isZero();
        }
    }

    @Test
    void fleetsAndKeySpacesHaveTheFiguresThatPanelsShow() throws Exception {
        Set<String> figures = new TreeSet<>();
        PrometheusNamingConvention names = new PrometheusNamingConvention();
        Measures measures = new Measures() {
            @Override
            public void counter(String name, String unit, String what, long value, Map<String, String> tags) {
                figures.add(names.name("georep." + name, Meter.Type.COUNTER, unit) + "_total");
            }

            @Override
            public void gauge(String name, String unit, String what, long value, Map<String, String> tags) {
                figures.add(names.name("georep." + name, Meter.Type.GAUGE, unit));
            }
        };
        new FleetStatistics("g", 0, 0, true, false, 0, 0, 0, 0, 0, false, false, 0, 0).measure(measures);
        new KeySpaceStatistics(0, 0, 0, 0, 0, 0, 0).measure(measures);
        List<String> shown = Stream.concat(inRules(), panels().stream().flatMap(MonitoringTest::figures))
                .filter(name -> OF_PROTOCOLS.matcher(name).matches())
                .toList();
        assertThat(figures).containsAll(shown);
        assertThat(shown).hasSizeGreaterThan(8);
    }

    @Test
    void eachAlertNamesAParagraphThatIsThere() throws Exception {
        String rules = Files.readString(RULES);
        List<String> books = all(rules, "runbook: (\\S+)").toList();
        assertThat(books).hasSize((int) all(rules, "- alert: (\\w+)").count()).isNotEmpty();
        for (String book : books) {
            String[] parts = book.split("#");
            String page = Files.readString(Path.of("..", "..", "..", parts[0]));
            assertThat(page.lines().filter(line -> line.startsWith("#")).map(MonitoringTest::anchor))
                    .as(book)
                    .contains(parts[1]);
        }
    }

    private static String anchor(String heading) {
        return heading.replaceFirst("#+ ", "")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9 -]", "")
                .replace(' ', '-');
    }

    private static Stream<String> all(String text, String pattern) {
        return Pattern.compile(pattern).matcher(text).results().map(result -> result.group(1));
    }

    private static Stream<String> figures(String query) {
        return FIGURE.matcher(query).results().map(MatchResult::group);
    }

    private static Stream<String> inRules() throws IOException {
        return all(Files.readString(RULES), "expr: '(.*)'")
                .flatMap(MonitoringTest::figures)
                .distinct();
    }

    /** The queries of all panels, for all that their variables may be. */
    private static List<String> panels() throws IOException {
        List<String> queries = new ArrayList<>();
        Set<String> uids = new HashSet<>();
        try (Stream<Path> files = Files.list(FILES.resolve("dashboards"))) {
            for (Path file : files.toList()) {
                JsonNode dashboard = JsonMapper.shared().readTree(Files.readString(file));
                assertThat(uids.add(dashboard.path("uid").asString()))
                        .as("uid of %s", file)
                        .isTrue();
                dashboard
                        .path("panels")
                        .forEach(panel -> panel.path("targets")
                                .forEach(target -> queries.add(
                                        target.path("expr").asString().replaceAll("\\$\\w+", ".*"))));
            }
        }
        assertThat(queries).hasSizeGreaterThan(50);
        return queries;
    }

    /** The rules as they are; only nobody waits here until a trouble has lasted. */
    private void start(Sites sites) throws IOException {
        port = FreePort.find();
        Files.writeString(
                directory.resolve("rules.yml"), Files.readString(RULES).replaceAll("( +for: )\\w+", "$11s"));
        String targets = IntStream.range(0, 3)
                .mapToObj(site -> "'localhost:" + sites.managementPort(site) + "'")
                .collect(Collectors.joining(", "));
        Files.writeString(directory.resolve("prometheus.yml"), """
                global: {scrape_interval: 250ms, evaluation_interval: 250ms}
                rule_files: [rules.yml]
                scrape_configs:
                  - job_name: georep
                    metrics_path: /actuator/prometheus
                    static_configs:
                      - targets: [%s]
                """.formatted(targets));
        prometheus = new ProcessBuilder(
                        PROMETHEUS.toString(),
                        "--config.file=prometheus.yml",
                        "--storage.tsdb.path=data",
                        "--web.listen-address=localhost:" + port)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("prometheus.log").toFile())
                .start();
    }

    private Set<String> firing() {
        return ask("alerts", "", "")
                .path("data")
                .path("alerts")
                .valueStream()
                .filter(alert -> alert.path("state").asString().equals("firing"))
                .map(alert -> alert.path("labels").path("alertname").asString())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** What Prometheus says; nothing while it does not listen yet, or says that it still starts. */
    private JsonNode ask(String what, String parameter, String value) {
        URI uri = URI.create("http://localhost:" + port + "/api/v1/" + what + "?" + parameter + "="
                + URLEncoder.encode(value, StandardCharsets.UTF_8));
        try {
            HttpResponse<String> said =
                    http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
            return JsonMapper.shared().readTree(said.statusCode() == 503 ? "{}" : said.body());
        } catch (IOException e) {
            return JsonMapper.shared().createObjectNode();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
