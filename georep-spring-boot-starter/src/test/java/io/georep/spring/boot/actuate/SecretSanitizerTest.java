package io.georep.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.env.EnvironmentEndpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** The endpoint {@code env} shows everything when it is told to, and the shared secret never. */
class SecretSanitizerTest {
    @Test
    void theSecretIsMaskedHoweverItsKeyIsWritten() {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addLast(new MapPropertySource(
                        "all",
                        Map.of(
                                "georep.security.secret", "hidden",
                                "GEOREP_SECURITY_SECRET", "hidden",
                                "georep.connectors.db.database.password", "hidden",
                                "georep.connectors.db.database.user", "app",
                                "georep.security.secret-file", "/etc/gateway/secret",
                                "georep.cluster", "sms")));
        List<String> shown = new ArrayList<>();

        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(GeoRepSanitizerAutoConfiguration.class))
                .run(context -> new EnvironmentEndpoint(
                                environment,
                                context.getBeansOfType(SanitizingFunction.class).values(),
                                Show.ALWAYS)
                        .environment("(?i)georep.*")
                        .getPropertySources()
                        .forEach(source -> source.getProperties()
                                .forEach((key, value) -> shown.add(key + "=" + value.getValue()))));

        assertThat(shown)
                .noneMatch(line -> line.contains("hidden"))
                .contains(
                        "georep.security.secret=******",
                        "GEOREP_SECURITY_SECRET=******",
                        "georep.security.secret-file=/etc/gateway/secret",
                        "georep.connectors.db.database.password=******",
                        "georep.connectors.db.database.user=app",
                        "georep.cluster=sms");
    }
}
