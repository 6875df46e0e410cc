package io.georep.examples.host;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/** Runs the connectors named under {@code georep.connectors}. There is nothing to program. */
@SpringBootApplication
@ConfigurationPropertiesScan
public class ConnectorHostApplication {
    /** Starts a node with its connectors. */
    public static void main(String[] arguments) {
        SpringApplication.run(ConnectorHostApplication.class, arguments);
    }
}
