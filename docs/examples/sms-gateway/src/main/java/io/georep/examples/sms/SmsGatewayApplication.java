package io.georep.examples.sms;

import io.georep.examples.sms.demo.SubmitMain;
import io.georep.examples.sms.simulator.OperatorSimulatorMain;
import java.util.Arrays;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/**
 * The gateway. With {@code operator} as first argument the operator simulator instead, with {@code submit} a client that
 * submits one message, so that one jar is enough to try everything.
 */
@SpringBootApplication
@ConfigurationPropertiesScan
public class SmsGatewayApplication {
    /** Starts the gateway, or what the first argument names. */
    public static void main(String[] arguments) throws Exception {
        switch (arguments.length == 0 ? "" : arguments[0]) {
            case "operator" -> OperatorSimulatorMain.main(Arrays.copyOfRange(arguments, 1, arguments.length));
            case "submit" -> SubmitMain.main(Arrays.copyOfRange(arguments, 1, arguments.length));
            default -> SpringApplication.run(SmsGatewayApplication.class, arguments);
        }
    }
}
