package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.GeoRepNode;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** The variables that Kubernetes sets beside a service called georep. */
@ExtendWith(OutputCaptureExtension.class)
class ServiceLinkTest {
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    private static ConfigurableApplicationContext start(Map<String, Object> variables) {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .replace(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new SystemEnvironmentPropertySource(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
        return new SpringApplicationBuilder(Application.class)
                .environment(environment)
                .web(WebApplicationType.NONE)
                .properties(
                        "georep.node-id=n1",
                        "georep.durability=memory",
                        "georep.host=127.0.0.1",
                        "georep.port=0",
                        "georep.expected-away=0",
                        "spring.main.banner-mode=off")
                .run();
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp://10.0.0.1:7400", "udp://10.0.0.1:7400"})
    void aPortThatIsALinkOfKubernetesIsExplained(String link, CapturedOutput output) {
        assertThatThrownBy(() -> start(Map.of("GEOREP_PORT", link))).isInstanceOf(RuntimeException.class);

        assertThat(output.getAll())
                .contains("georep.port is '" + link + "'", "GEOREP_PORT", "service named 'georep'")
                .contains("enableServiceLinks: false");
    }

    @Test
    void anyOtherPortThatIsNoNumberIsExplainedAsBootDoes(CapturedOutput output) {
        assertThatThrownBy(() -> start(Map.of("GEOREP_PORT", "7400tcp"))).isInstanceOf(RuntimeException.class);

        assertThat(output.getAll()).contains("georep.port").doesNotContain("enableServiceLinks");
    }

    @Test
    void theOtherVariablesOfALinkAreNobodysSettings(CapturedOutput output) {
        try (ConfigurableApplicationContext context = start(Map.of(
                "GEOREP_SERVICE_HOST", "10.0.0.1",
                "GEOREP_SERVICE_PORT", "7400",
                "GEOREP_SERVICE_PORT_LINKS", "7400",
                "GEOREP_PORT_7400_TCP", "tcp://10.0.0.1:7400",
                "GEOREP_PORT_7400_TCP_PROTO", "tcp",
                "GEOREP_PORT_7400_TCP_PORT", "7400",
                "GEOREP_PORT_7400_TCP_ADDR", "10.0.0.1"))) {
            assertThat(context.getBean(GeoRepNode.class).identity().address()).startsWith("127.0.0.1:");
        }
        assertThat(output.getAll()).doesNotContain("is not known");
    }
}
