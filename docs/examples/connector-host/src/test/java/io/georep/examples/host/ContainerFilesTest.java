package io.georep.examples.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.connectors.FreePort;
import io.georep.spring.Connectors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.StandardEnvironment;
import org.yaml.snakeyaml.Yaml;

/** The files for containers: nothing here needs Docker. */
final class ContainerFilesTest {
    private static final List<String> HOSTS = List.of("ams", "nyc", "sgp");

    @TempDir
    private Path directory;

    @SuppressWarnings("unchecked")
    private static Map<String, Map<String, Object>> services() throws IOException {
        Map<String, Object> compose = new Yaml().load(Files.readString(Path.of("compose.yaml")));
        return (Map<String, Map<String, Object>>) compose.get("services");
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> environment(String host) throws IOException {
        return (Map<String, Object>) services().get(host).get("environment");
    }

    /** Without properties and variables of the build, which the strict application would not know. */
    private static final class OwnEnvironment extends StandardEnvironment {
        @Override
        protected void customizePropertySources(MutablePropertySources sources) {}
    }

    @Test
    void theImageRunsAsNobodyInParticularOnAPinnedBase() throws Exception {
        String dockerfile = Files.readString(Path.of("Dockerfile"));
        assertThat(dockerfile).containsPattern("(?m)^ARG BASE=[a-z0-9./-]+:\\d+\\.\\d+\\.\\d+\\S*$");
        Matcher user = Pattern.compile("(?m)^USER ([1-9]\\d*:[1-9]\\d*)$").matcher(dockerfile);
        assertThat(user.find()).isTrue();
        assertThat(dockerfile).contains("chown " + user.group(1)).contains("-XX:MaxRAMPercentage=");
    }

    @Test
    void everyServiceHasBoundsAndShowsItselfToThisMachineOnly() throws Exception {
        services().forEach((name, service) -> {
            assertThat(service)
                    .as(name)
                    .containsKey("mem_limit")
                    .doesNotContainKeys("user", "privileged", "network_mode");
            assertThat((List<?>) service.getOrDefault("ports", List.of()))
                    .as(name)
                    .allSatisfy(each -> assertThat(each.toString()).startsWith("127.0.0.1:"));
        });
    }

    @Test
    void hostsAreWatchedKnowEachOtherAndShareASecret() throws Exception {
        for (String host : HOSTS) {
            Map<String, Object> service = services().get(host);
            Map<String, Object> environment = environment(host);
            assertThat(service.get("restart")).isEqualTo("on-failure");
            assertThat(Integer.parseInt(
                            service.get("stop_grace_period").toString().replace("s", "")))
                    .as("more than Spring's 30 s for a phase")
                    .isGreaterThan(30);
            assertThat(((Map<?, ?>) service.get("healthcheck")).get("test").toString())
                    .contains("/actuator/health/liveness", "/" + environment.get("MANAGEMENT_SERVER_PORT"));
            assertThat(environment.get("GEOREP_ADVERTISE")).isEqualTo(host + ":" + environment.get("GEOREP_PORT"));
            assertThat(environment.get("GEOREP_SEEDS").toString())
                    .isEqualTo(String.join(
                            ",", HOSTS.stream().map(each -> each + ":7400").toList()));
            assertThat(environment.get("GEOREP_SECURITY_SECRETFILE")).isEqualTo("/run/georep/secret");
            assertThat(service.get("volumes").toString())
                    .contains("secret:/run/georep:ro", "./compose.properties:/app/config/application.properties:ro");
        }
    }

    /** Everything but the names of machines and the paths, in an application that takes no key that it does not know. */
    @Test
    void theSettingsOfTheHostsAreGood() throws Exception {
        Path secret = Files.writeString(directory.resolve("secret"), "c2l4dGVlbiBieXRlcyBhdCBsZWFzdCwgYmFzZTY0IQ==");
        List<String> arguments = new ArrayList<>(List.of(
                "--spring.config.additional-location=file:compose.properties",
                "--spring.main.banner-mode=off",
                "--server.port=0"));
        for (Map.Entry<String, Object> variable : environment("nyc").entrySet()) {
            String value = switch (variable.getKey()) {
                case "GEOREP_PORT", "MANAGEMENT_SERVER_PORT" -> "0";
                case "GEOREP_HOST" -> "127.0.0.1";
                case "GEOREP_SEEDS", "GEOREP_ADVERTISE" -> "";
                case "GEOREP_SECURITY_SECRETFILE" -> secret.toString();
                case "GEOREP_PLUGINPATH" -> "plugins";
                default -> variable.getValue().toString();
            };
            if (!value.isEmpty()) {
                arguments.add("--"
                        + variable.getKey().toLowerCase(java.util.Locale.ROOT).replace('_', '.') + "=" + value);
            }
        }
        arguments.addAll(List.of(
                "--georep.data-dir=" + directory.resolve("store"),
                "--georep.connectors.out.file=" + directory.resolve("messages.txt"),
                "--georep.connectors.in.mqtt.host=127.0.0.1",
                "--georep.connectors.in.mqtt.port=" + FreePort.find()));
        SpringApplication application = new SpringApplication(ConnectorHostApplication.class);
        application.setEnvironment(new OwnEnvironment());
        try (ConfigurableApplicationContext host = application.run(arguments.toArray(String[]::new))) {
            assertThat(host.getBean(Connectors.class).all())
                    .extracting(Connectors.Status::name)
                    .containsExactly("in", "out");
        }
    }
}
