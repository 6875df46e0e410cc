package io.georep.examples.sms;

import io.georep.examples.sms.simulator.OperatorSimulatorMain;
import java.util.Arrays;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/**
 * The gateway. With {@code operator} as first argument the operator simulator instead, so that one jar is enough to try
 * everything.
 */
@SpringBootApplication
@ConfigurationPropertiesScan
public class SmsGatewayApplication {
    /** Starts the gateway, or the operator simulator. */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0 && arguments[0].equals("operator")) {
            OperatorSimulatorMain.main(Arrays.copyOfRange(arguments, 1, arguments.length));
        } else {
            SpringApplication.run(SmsGatewayApplication.class, arguments);
        }
    }
}
