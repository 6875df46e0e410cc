package io.georep.examples.hello;

import io.georep.outbox.Adoption;
import io.georep.outbox.Outbox;
import io.georep.spring.OnAdoption;
import io.georep.spring.OutboxListener;
import io.georep.spring.OutboxName;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** Each line that you type is a message. It goes to somebody slow. */
@SpringBootApplication
public class HelloApplication {
    @Value("${hello.takes}")
    private Duration takes = Duration.ZERO;

    /** Starts a node. */
    public static void main(String[] arguments) {
        SpringApplication.run(HelloApplication.class, arguments);
    }

    @Bean
    CommandLineRunner sender(@OutboxName("hello") Outbox<String> outbox) {
        return arguments -> {
            say("ready, type a message");
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))
                    .lines()
                    .forEach(line -> outbox.send(line)
                            .whenComplete((id, refused) ->
                                    say(refused == null ? "accepted: " + line : "refused: " + refused.getMessage())));
        };
    }

    @OutboxListener("hello")
    void forward(String text) throws InterruptedException {
        say("forwarding: " + text);
        Thread.sleep(takes.toMillis());
        say("forwarded: " + text);
    }

    @OnAdoption("hello")
    void adopted(Adoption<String> adoption) {
        say("adopted from " + adoption.from() + ": " + adoption.delivery().payload());
    }

    private static void say(String what) {
        System.out.println(what);
    }
}
