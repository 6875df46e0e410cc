package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The chart gives what the manifests beside it have, which {@link KubernetesTest} tries. Helm itself renders it where
 * {@code georep.helm} names the program; elsewhere this test does, which knows the few things that the chart uses and nothing else.
 */
@Timeout(120)
final class ChartTest {
    private static final Path FILES = Path.of("..", "kubernetes");
    private static final Path CHART = FILES.resolve("chart");
    private static final Path HELM = Path.of(System.getProperty("georep.helm", ""));
    private static final Pattern VALUE = Pattern.compile("\\$\\.Values\\.(\\w+)");
    private static final Pattern LOOP = Pattern.compile(
            "\\A\\{\\{- /\\*[^*]+\\*/}}\n\\{\\{- range \\$site := \\.Values\\.sites }}\n(.*)\\{\\{- end }}\n\\z",
            Pattern.DOTALL);

    @Test
    void givesWhatTheManifestsHave() throws Exception {
        Map<String, Object> manifests = new TreeMap<>();
        for (String site : List.of("ams", "nyc")) {
            manifests.putAll(objects(Files.readString(FILES.resolve(site + ".yaml"))));
        }

        Map<String, Object> rendered = objects(render(List.of()));

        assertThat(rendered).hasSize(10).containsOnlyKeys(manifests.keySet());
        rendered.forEach((name, object) -> assertThat(object).as(name).isEqualTo(manifests.get(name)));
    }

    @Test
    void eachValueReachesTheObjects() throws Exception {
        String rendered = render(List.of("sites={sgp}", "replicas=3", "storage=99Gi", "image=other:1"));

        assertThat(rendered)
                .contains("sms-sgp", "replicas: 3", "99Gi", "other:1")
                .doesNotContain("sms-ams-clients", "name: sms-nyc");
    }

    @Test
    void valuesAndSchemaAndTemplateNameTheSame() throws Exception {
        Set<String> used = VALUE.matcher(template())
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        used.add("sites");
        JsonNode schema = JsonMapper.shared().readTree(Files.readString(CHART.resolve("values.schema.json")));

        assertThat(values().keySet()).containsExactlyInAnyOrderElementsOf(used);
        assertThat(schema.path("additionalProperties").asBoolean(true)).isFalse();
        Set<String> described = new TreeSet<>(schema.path("properties").propertyNames());
        assertThat(described.remove("global")).as("Helm gives it to each chart").isTrue();
        assertThat(described).isEqualTo(used);
        values().forEach((name, value) -> {
            String pattern =
                    schema.path("properties").path(name).path("pattern").asString("");
            assertThat(value.toString()).as(name).matches(pattern.isEmpty() ? ".+" : pattern);
        });
    }

    @Test
    void theChartNamesItselfAsHelmWants() throws Exception {
        Map<String, Object> chart = new Yaml().load(Files.readString(CHART.resolve("Chart.yaml")));

        assertThat(chart)
                .containsOnlyKeys("apiVersion", "name", "description", "type", "version", "appVersion")
                .containsEntry("apiVersion", "v2")
                .containsEntry("type", "application");
        assertThat(chart.get("version").toString()).matches("\\d+\\.\\d+\\.\\d+");
        assertThat(values().get("image")).isEqualTo(chart.get("name") + ":" + chart.get("appVersion"));
        if (!HELM.toString().isEmpty()) {
            run("lint", "--strict", CHART.toString());
            for (String wrong : List.of("replica=3", "image=a\"b", "sites={ams,ams-clients}")) {
                assertThat(exit("template", "sms", CHART.toString(), "--set", wrong))
                        .as("a typing error, a value that breaks out of its place, a name that is taken: " + wrong)
                        .isNotZero();
            }
            assertThat(exit("template", "sms", CHART.toString(), "--set", "cpu=2"))
                    .as("a whole processor")
                    .isZero();
        }
    }

    /** The objects of a file by kind and name; Helm has an order of its own. */
    private static Map<String, Object> objects(String text) {
        Map<String, Object> objects = new TreeMap<>();
        for (Object document : new Yaml().loadAll(text)) {
            if (document != null) {
                Map<?, ?> object = (Map<?, ?>) document;
                Object before = objects.put(
                        object.get("kind") + " " + ((Map<?, ?>) object.get("metadata")).get("name"), object);
                assertThat(before).as("two of one name").isNull();
            }
        }
        return objects;
    }

    private static String template() throws IOException {
        return Files.readString(CHART.resolve("templates/sites.yaml"));
    }

    private static Map<String, Object> values() throws IOException {
        return new Yaml().load(Files.readString(CHART.resolve("values.yaml")));
    }

    private static String render(List<String> set) throws Exception {
        if (!HELM.toString().isEmpty()) {
            List<String> command = new ArrayList<>(List.of("template", "sms", CHART.toString()));
            set.forEach(each -> command.addAll(List.of("--set", each)));
            return run(command.toArray(String[]::new));
        }
        Map<String, Object> values = new LinkedHashMap<>(values());
        for (String each : set) {
            String[] parts = each.split("=");
            boolean list = parts[1].startsWith("{");
            values.put(parts[0], list ? List.of(parts[1].substring(1, parts[1].length() - 1)) : parts[1]);
        }
        var loop = LOOP.matcher(template());
        assertThat(loop.matches()).as("a comment and one loop over the sites").isTrue();
        String text = ((List<?>) values.get("sites"))
                .stream()
                        .map(site -> loop.group(1).replace("{{ $site }}", site.toString()))
                        .collect(Collectors.joining());
        String rendered = Pattern.compile("\\{\\{ \\$\\.Values\\.(\\w+) }}")
                .matcher(text)
                .replaceAll((MatchResult found) -> values.get(found.group(1)).toString());
        assertThat(rendered).as("something else than a value").doesNotContain("{{", "}}");
        return rendered;
    }

    private static String run(String... arguments) throws Exception {
        Process process = helm(arguments);
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }

    private static int exit(String... arguments) throws Exception {
        Process process = helm(arguments);
        process.getInputStream().readAllBytes();
        return process.waitFor();
    }

    private static Process helm(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(HELM.toString()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }
}
