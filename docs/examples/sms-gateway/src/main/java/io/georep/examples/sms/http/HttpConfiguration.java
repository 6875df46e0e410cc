package io.georep.examples.sms.http;

import io.georep.examples.sms.Accounts;
import io.georep.examples.sms.SmsProperties;
import jakarta.servlet.DispatcherType;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import tools.jackson.databind.json.JsonMapper;

/** Puts the door before everything else on the clients' port. The management port has no such door. */
@Configuration(proxyBeanMethods = false)
class HttpConfiguration {
    private static final Duration SWEEP_EVERY = Duration.ofSeconds(1);

    @Bean
    Connections httpConnections(SmsProperties properties) {
        SmsProperties.Http http = properties.http();
        return new Connections(
                http.connectionsWaitingMax(),
                http.connectionsPerAddressMax(),
                http.headerWithin(),
                System::nanoTime,
                RandomGenerator.getDefault());
    }

    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> boundedConnections(Connections connections) {
        return factory -> {
            factory.setProtocol(BoundedProtocol.class.getName());
            factory.addConnectorCustomizers(connector -> {
                if (connector.getProtocolHandler() instanceof BoundedProtocol bounded) {
                    bounded.connections(connections);
                }
            });
        };
    }

    @Bean(destroyMethod = "shutdownNow")
    ScheduledExecutorService httpSweeper(Connections connections) {
        ScheduledExecutorService sweeper = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "http-sweeper");
            thread.setDaemon(true);
            return thread;
        });
        var unused = sweeper.scheduleWithFixedDelay(
                () -> sweep(connections), SWEEP_EVERY.toMillis(), SWEEP_EVERY.toMillis(), TimeUnit.MILLISECONDS);
        return sweeper;
    }

    /** Throws nothing: otherwise it would not be called again, and no header would have a deadline. */
    private static void sweep(Connections connections) {
        try {
            connections.sweep();
        } catch (Throwable e) {
            // Out of memory, perhaps: the next time is soon.
        }
    }

    @Bean
    FilterRegistrationBean<HttpDoor> httpDoor(
            Accounts accounts, SmsProperties properties, JsonMapper mapper, Connections connections) {
        FilterRegistrationBean<HttpDoor> door =
                new FilterRegistrationBean<>(new HttpDoor(accounts, properties.http(), mapper, connections));
        door.setAsyncSupported(true);
        // Not ASYNC: that dispatch carries on a request whose body is there.
        door.setDispatcherTypes(DispatcherType.REQUEST);
        door.setOrder(Ordered.HIGHEST_PRECEDENCE);
        return door;
    }
}
