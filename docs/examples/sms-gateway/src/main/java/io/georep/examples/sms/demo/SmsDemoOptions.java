package io.georep.examples.sms.demo;

import java.time.Duration;
import java.util.List;

/**
 * What the demo does, from system properties.
 *
 * @param messages messages to get acknowledged ({@code demo.messages})
 * @param clients SMPP sessions ({@code demo.clients})
 * @param window submits of one session that wait for their answer ({@code demo.window})
 * @param operatorMillis time the operator takes for each message ({@code demo.operator.millis})
 * @param console whether somebody looks: then it stays until Enter ({@code demo.console})
 * @param patience how long nothing may happen before the demo gives up ({@code demo.patience}, in seconds)
 */
record SmsDemoOptions(int messages, int clients, int window, int operatorMillis, boolean console, Duration patience) {
    static SmsDemoOptions fromProperties() {
        return new SmsDemoOptions(
                number("demo.messages", 20_000),
                number("demo.clients", 6),
                number("demo.window", 16),
                number("demo.operator.millis", 2),
                !List.of("", "false")
                        .contains(System.getProperty("demo.console", "").strip()),
                Duration.ofSeconds(number("demo.patience", 120)));
    }

    private static int number(String name, int otherwise) {
        String text = System.getProperty(name, "").strip();
        if (text.isEmpty()) {
            return otherwise;
        }
        try {
            int value = Integer.parseInt(text);
            if (value < 1) {
                throw new IllegalArgumentException(name + " is " + value + ", must be positive");
            }
            return value;
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " is '" + text + "', must be a number", e);
        }
    }
}
