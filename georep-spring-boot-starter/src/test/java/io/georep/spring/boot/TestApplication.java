package io.georep.spring.boot;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Contexts as an application has them. */
final class TestApplication {
    private TestApplication() {}

    /** A node alone, in memory, with Jackson. */
    static ApplicationContextRunner alone() {
        return runner().withPropertyValues("georep.node-id=n1", "georep.durability=memory");
    }

    static ApplicationContextRunner runner() {
        return new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(GeoRepAutoConfiguration.class, JacksonAutoConfiguration.class));
    }
}
