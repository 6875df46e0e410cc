package example;

import io.georep.outbox.Outbox;
import io.georep.spring.OutboxListener;
import io.georep.spring.OutboxName;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.stereotype.Component;

/** An application with a node of its own that is alone. */
@SpringBootApplication
public class Gateway {
    public static void main(String[] arguments) {
        SpringApplication.run(Gateway.class, arguments);
    }

    /** Sends what it is told to, and sees it again when it is forwarded. */
    @Component
    public static class Door {
        private final BlockingQueue<String> forwarded = new LinkedBlockingQueue<>();
        private final Outbox<String> outbox;

        public Door(@OutboxName("sms") Outbox<String> sms) {
            this.outbox = sms;
        }

        @OutboxListener("sms")
        void forward(String message) {
            forwarded.add(message);
        }

        public String send(String message) throws Exception {
            outbox.sendAndWait(message, Duration.ofSeconds(20));
            return forwarded.poll(20, TimeUnit.SECONDS);
        }
    }
}
