package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

/** What an application is told that asks for a console and cannot have one. */
class NoConsoleTest {
    private static final String ENABLED = "georep.console.enabled=true";
    private static final String[] NODE = {"georep.node-id=n1", "georep.durability=memory"};

    @Test
    void anApplicationWithoutServletsIsTold() {
        TestApplication.alone()
                .withPropertyValues(ENABLED)
                .run(context -> assertThat(
                                context.getBean(NoConsole.Reason.class).text())
                        .contains("no servlet web server"));
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(GeoRepAutoConfiguration.class))
                .withPropertyValues(NODE)
                .withPropertyValues(ENABLED)
                .run(context -> assertThat(
                                context.getBean(NoConsole.Reason.class).text())
                        .contains("no servlet web server"));
    }

    @Test
    void anApplicationWithoutActuatorIsTold() {
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(GeoRepAutoConfiguration.class))
                .withPropertyValues(NODE)
                .withPropertyValues(ENABLED)
                .withClassLoader(new FilteredClassLoader(ManagementContextConfiguration.class))
                .run(context -> assertThat(
                                context.getBean(NoConsole.Reason.class).text())
                        .contains("spring-boot-starter-actuator"));
    }

    @Test
    void anApplicationWithoutJacksonIsTold() {
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(GeoRepAutoConfiguration.class))
                .withPropertyValues(NODE)
                .withPropertyValues(ENABLED)
                .withClassLoader(new FilteredClassLoader("tools.jackson.databind.json"))
                .run(context -> assertThat(
                                context.getBean(NoConsole.Reason.class).text())
                        .contains("spring-boot-starter-jackson"));
    }

    @Test
    void whoHasAllOrDoesNotAskIsToldNothing() {
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(GeoRepAutoConfiguration.class))
                .withPropertyValues(NODE)
                .withPropertyValues(ENABLED)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(NoConsole.Reason.class));
        TestApplication.alone().run(context -> assertThat(context).doesNotHaveBean(NoConsole.Reason.class));
    }
}
