package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.GeoRepNode;
import io.georep.outbox.Adoption;
import io.georep.spi.TransportFactory;
import io.georep.spring.OnAdoption;
import io.georep.spring.ReplicatedQueue;
import io.georep.testing.LocalNetwork;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A queue with {@code @ReplicatedQueue} may have an {@code @OnAdoption} method, like one with a listener. */
@Timeout(180)
class QueueAdoptionTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        @ReplicatedQueue(f = 1)
        BlockingQueue<String> outgoing() {
            return new LinkedBlockingQueue<>(10);
        }
    }

    static class Watcher {
        private final BlockingQueue<Adoption<String>> adoptions = new LinkedBlockingQueue<>();

        @OnAdoption("outgoing")
        void adopted(Adoption<String> adoption) {
            adoptions.add(adoption);
        }
    }

    private static ApplicationContextRunner node(LocalNetwork network, String id, int port) {
        return new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withBean(Watcher.class)
                .withBean(TransportFactory.class, network::transports)
                .withPropertyValues(
                        "georep.node-id=" + id,
                        "georep.durability=memory",
                        "georep.host=local",
                        "georep.port=" + port,
                        "georep.seeds=local:1001,local:1002",
                        "georep.expected-away=0");
    }

    @SuppressWarnings("unchecked")
    @Test
    void tellsOfTheElementsOfANodeThatLeftForGood() {
        LocalNetwork network = new LocalNetwork();
        node(network, "n2", 1002).run(second -> {
            node(network, "n1", 1001).run(first -> {
                assertThat(first.getBean(GeoRepNode.class).awaitReady(1, SOON)).isTrue();
                first.getBean("outgoing", BlockingQueue.class).put("hello");
            });

            Adoption<String> adoption =
                    second.getBean(Watcher.class).adoptions.poll(SOON.toSeconds(), TimeUnit.SECONDS);
            assertThat(adoption).isNotNull();
            assertThat(adoption.from().value()).isEqualTo("n1");
            assertThat(second.getBean("outgoing", BlockingQueue.class).poll(SOON.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo("hello");
        });
    }
}
