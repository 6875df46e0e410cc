package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.GeoRepNode;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import io.georep.spring.OutboxListener;
import io.georep.spring.OutboxName;
import io.georep.spring.Outboxes;
import io.georep.spring.ReplicatedQueue;
import io.georep.spring.boot.actuate.ReadinessTarget;
import io.georep.testing.LocalNetwork;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application configured for production starts in its tests without a word about GeoRep in any of them. */
@SpringBootTest(
        classes = TestModeTest.Application.class,
        properties = {
            "georep.node-id=ams-1",
            "georep.port=7400",
            "georep.seeds=nyc-1.example.org:7400",
            "georep.data-dir=target/a-directory-of-production",
            "georep.outboxes.sms.f=2",
            "georep.health.f=1"
        })
class TestModeTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    @Autowired
    private GeoRepNode node;

    @Autowired
    private Application application;

    @Autowired
    private BlockingQueue<String> outgoing;

    @Autowired
    private Outboxes outboxes;

    @Autowired
    private ReadinessTarget target;

    @Test
    void theNodeIsAloneAndKeepsItsName() {
        assertThat(node.identity().id().value()).isEqualTo("ams-1");
        assertThat(node.identity().address()).doesNotContain("7400");
        assertThat(node.ready(target.copies(outboxes))).isTrue();
        assertThat(Path.of("target/a-directory-of-production")).doesNotExist();
    }

    @Test
    void aReplicatedQueueTakesElementsThoughNobodyCouldKeepACopy() throws Exception {
        outgoing.put("hello");

        assertThat(outgoing.poll(60, TimeUnit.SECONDS)).isEqualTo("hello");
    }

    @Test
    void everyWayToSendWorks() throws Exception {
        application.sms.sendAndWait("by bean", SOON);
        assertThat(application.forwarded.poll(60, TimeUnit.SECONDS)).isEqualTo("by bean");
        application
                .sms
                .send("f = 1", SendOptions.defaults().f(1))
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
        assertThat(application.forwarded.poll(60, TimeUnit.SECONDS)).isEqualTo("f = 1");

        Outbox<String> plain = node.outbox("plain", String.class);
        plain.sendAndWait("by node", SOON);
        node.replication("own").replicate(new byte[1], 1).toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @Test
    void takesARandomNameAndADirectoryOfNobodyByDefault() {
        TestApplication.runner()
                .withPropertyValues("georep.test.enabled=true")
                .run(context -> assertThat(context.getBean(GeoRepNode.class)
                                .identity()
                                .id()
                                .value())
                        .matches("test-[0-9a-f]{8}"));
    }

    @Test
    void aNetworkInsideTheTestIsUsed() {
        LocalNetwork network = new LocalNetwork();
        TestApplication.runner()
                .withBean(LocalNetwork.class, () -> network)
                .withPropertyValues("georep.test.enabled=true", "georep.host=local", "georep.port=1001")
                .run(context -> {
                    assertThat(context.getBean(GeoRepNode.class).identity().address())
                            .isEqualTo("local:1001");
                    assertThat(context.getBean(ReadinessTarget.class).defaultF())
                            .isOne();
                });
    }

    @Test
    void outsideTestsNothingIsLowered() {
        TestApplication.alone().run(context -> {
            GeoRepNode alone = context.getBean(GeoRepNode.class);
            assertThatThrownBy(() -> alone.outbox("plain", String.class)).hasMessageContaining("wants f = 1");
        });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        private final BlockingQueue<String> forwarded = new LinkedBlockingQueue<>();
        private final Outbox<String> sms;

        Application(@OutboxName("sms") Outbox<String> sms) {
            this.sms = sms;
        }

        @Bean
        @ReplicatedQueue(f = 1)
        static BlockingQueue<String> outgoing() {
            return new LinkedBlockingQueue<>(1000);
        }

        @OutboxListener("sms")
        void forward(String text, Delivery<String> delivery) {
            forwarded.add(text);
        }
    }
}
