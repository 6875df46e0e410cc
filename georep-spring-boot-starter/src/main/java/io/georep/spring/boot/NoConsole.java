package io.georep.spring.boot;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/** Says why there is no console although one is asked for. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "georep.console.enabled", havingValue = "true")
class NoConsole {
    private static final Logger LOG = LoggerFactory.getLogger(NoConsole.class);

    /** What the log was told. */
    record Reason(String text) {
        Reason {
            LOG.warn("georep.console.enabled=true: {}", text);
        }
    }

    @Bean
    @ConditionalOnMissingClass("org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration")
    Reason georepNoConsoleWithoutActuator() {
        return new Reason("it has no effect, add spring-boot-starter-actuator to the application");
    }

    @Bean
    @ConditionalOnMissingClass("tools.jackson.databind.json.JsonMapper")
    Reason georepNoConsoleWithoutJackson() {
        return new Reason("it has no effect, add spring-boot-starter-jackson to the application");
    }

    @Bean
    @Conditional(NoServlets.class)
    Reason georepNoConsoleWithoutServlets() {
        return new Reason("this node has no page, because the application has no servlet web server, such as that of"
                + " spring-boot-starter-webmvc; the pages of other nodes show it");
    }

    /** Matches unless the application serves servlets. */
    static final class NoServlets extends NoneNestedConditions {
        NoServlets() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
        static final class Servlets {}
    }
}
