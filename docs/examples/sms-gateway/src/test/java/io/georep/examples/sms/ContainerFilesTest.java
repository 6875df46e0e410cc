package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** What the README promises of the containers, read from their files: nothing here needs Docker. */
final class ContainerFilesTest {
    private static final List<String> GATEWAYS = List.of("ams", "nyc", "sgp");
    private static final Pattern LINE = Pattern.compile("^([A-Z]+) +(.*)$", Pattern.MULTILINE);

    private static Map<String, String> dockerfile() throws IOException {
        Map<String, String> lines = new LinkedHashMap<>();
        Matcher matcher = LINE.matcher(Files.readString(Path.of("Dockerfile")));
        while (matcher.find()) {
            lines.put(matcher.group(1), matcher.group(2));
        }
        return lines;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Map<String, Object>> services() throws IOException {
        Map<String, Object> compose = new Yaml().load(Files.readString(Path.of("compose.yaml")));
        return (Map<String, Map<String, Object>>) compose.get("services");
    }

    @Test
    void runAsNobodyInParticularOnAPinnedBase() throws Exception {
        Map<String, String> lines = dockerfile();

        assertThat(lines.get("ARG")).matches("BASE=[a-z0-9./-]+:\\d+\\.\\d+\\.\\d+\\S*");
        assertThat(lines.get("FROM")).isEqualTo("${BASE}");
        assertThat(lines.get("USER")).matches("[1-9]\\d*:[1-9]\\d*");
        assertThat(List.copyOf(lines.keySet()).indexOf("USER"))
                .as("the last to run is not root")
                .isGreaterThan(List.copyOf(lines.keySet()).indexOf("RUN"));
        assertThat(lines.get("ENTRYPOINT")).contains("-XX:MaxRAMPercentage=");
        assertThat(lines.get("RUN")).contains("chown " + lines.get("USER"));
    }

    @Test
    void haveBounds() throws Exception {
        services().forEach((name, service) -> {
            assertThat(service)
                    .as(name)
                    .containsKey("mem_limit")
                    .doesNotContainKeys("user", "privileged", "network_mode");
        });
    }

    @Test
    void areWatchedAndMayStopInOrder() throws Exception {
        for (String name : GATEWAYS) {
            Map<String, Object> service = services().get(name);

            assertThat(service.get("restart")).isEqualTo("on-failure");
            int seconds =
                    Integer.parseInt(service.get("stop_grace_period").toString().replace("s", ""));
            assertThat(seconds).as("more than Spring's 30 s for a phase").isGreaterThan(30);
            Map<?, ?> health = (Map<?, ?>) service.get("healthcheck");
            assertThat(health.get("test").toString()).contains("/actuator/health/liveness", "$$MANAGEMENT_PORT");
            Map<?, ?> environment = (Map<?, ?>) service.get("environment");
            Map<String, Map<String, Map<String, Object>>> profile =
                    new Yaml().load(Files.readString(Path.of("src/main/resources/application-" + name + ".yaml")));
            assertThat(environment.get("MANAGEMENT_PORT"))
                    .isEqualTo(profile.get("management").get("server").get("port"));
        }
    }

    @Test
    void showThemselvesToThisMachineOnlyAndHaveNoPasswords() throws Exception {
        for (String name : GATEWAYS) {
            Map<String, Object> service = services().get(name);

            assertThat((List<?>) service.get("ports"))
                    .allSatisfy(each -> assertThat(each.toString()).startsWith("127.0.0.1:"));
            Map<?, ?> environment = (Map<?, ?>) service.get("environment");
            assertThat(environment.get("SMS_ACCOUNTS_CLIENT_PASSWORD").toString())
                    .startsWith("${SMS_ACCOUNTS_CLIENT_PASSWORD:?");
            assertThat(environment.get("SMS_OPERATOR_PASSWORD").toString()).startsWith("${SMS_OPERATOR_PASSWORD:?");
            assertThat(environment.get("GEOREP_SECURITY_SECRETFILE")).isEqualTo("/run/georep/secret");
        }
    }

    /** With the password: {@code ConsoleLoginTest} shows what that does. */
    @Test
    void haveAConsoleForTheAdministrator() throws Exception {
        for (String name : GATEWAYS) {
            Map<String, Object> service = services().get(name);
            Map<?, ?> environment = (Map<?, ?>) service.get("environment");
            Object port = environment.get("MANAGEMENT_PORT");

            assertThat(service.get("ports").toString()).contains("127.0.0.1:" + port + ":" + port);
            assertThat(environment.get("MANAGEMENT_ADDRESS")).isEqualTo("0.0.0.0");
            assertThat(environment.get("SMS_ADMIN_PASSWORD").toString()).startsWith("${SMS_ADMIN_PASSWORD:?");
        }
    }
}
