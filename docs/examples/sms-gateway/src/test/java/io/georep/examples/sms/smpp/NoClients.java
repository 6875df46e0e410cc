package io.georep.examples.sms.smpp;

import io.georep.examples.sms.Accounts;
import io.georep.examples.sms.SmsProperties;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Map;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** A server to which nobody can bind. */
public final class NoClients {
    private NoClients() {}

    /** Clients that could not bind might take so long for an answer. */
    public static SmppServer deliverWithin(Duration time) {
        Map<String, String> settings = Map.of(
                "sms.accounts.client.password", "c",
                "sms.operator.password", "o",
                "sms.smpp.deliver-within", time.toString());
        SmsProperties properties = new Binder(new MapConfigurationPropertySource(settings))
                .bind("sms", SmsProperties.class)
                .get();
        return new SmppServer(
                null,
                new Accounts(properties.accounts()),
                properties,
                new StandardEnvironment(),
                new SimpleMeterRegistry());
    }
}
