package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.GeoRepNode;
import io.georep.NodeState;
import io.georep.model.EntryId;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.spring.NodeBuilderCustomizer;
import io.georep.spring.OutboxListener;
import io.georep.spring.OutboxName;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class GeoRepAutoConfigurationTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    @Test
    void startsANodeFromOneProperty() {
        TestApplication.alone().run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(GeoRepNode.class);

            assertThat(context.getBean(GeoRepNode.class).state()).isEqualTo(NodeState.RUNNING);
            assertThat(context.getBean(GeoRepNode.class).identity().id().value())
                    .isEqualTo("n1");
        });
    }

    @Test
    void closesTheNodeWithTheContext() {
        AtomicReference<GeoRepNode> node = new AtomicReference<>();

        TestApplication.alone().run(context -> node.set(context.getBean(GeoRepNode.class)));

        assertThat(node.get().state()).isEqualTo(NodeState.CLOSED);
    }

    @Test
    void backsOffWhenDisabled() {
        TestApplication.runner()
                .withPropertyValues("georep.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(GeoRepNode.class)
                        .doesNotHaveBean(Outbox.class));
    }

    @Test
    void backsOffWithoutTheCore() {
        TestApplication.alone()
                .withClassLoader(new FilteredClassLoader(GeoRepNode.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("georepNode"));
    }

    @Test
    void forwardsWhatAnInjectedOutboxSends() {
        TestApplication.alone().withUserConfiguration(SmsApplication.class).run(context -> {
            SmsService service = context.getBean(SmsService.class);

            EntryId id = service.outbox.sendAndWait(new Sms("+46", "hello"), SOON);

            Delivery<Sms> delivery = service.forwarded.poll(SOON.toSeconds(), TimeUnit.SECONDS);
            assertThat(delivery).isNotNull();
            assertThat(delivery.id()).isEqualTo(id);
            assertThat(delivery.payload()).isEqualTo(new Sms("+46", "hello"));
        });
    }

    @Test
    void injectsByTheNameOfAConfiguredQueue() {
        TestApplication.alone()
                .withPropertyValues("georep.outboxes.mail.f=0")
                .withBean(MailService.class)
                .run(context -> assertThat(
                                context.getBean(MailService.class).mail.name())
                        .isEqualTo("mail"));
    }

    @Test
    void letsAnOutboxBeanOfTheApplicationWin() {
        TestApplication.alone()
                .withUserConfiguration(OwnOutbox.class)
                .run(context -> assertThat(
                                context.getBean(MailService.class).mail.name())
                        .isEqualTo("own"));
    }

    @Test
    void customizesTheBuilder() {
        TestApplication.alone()
                .withBean(NodeBuilderCustomizer.class, () -> builder -> builder.site("elsewhere"))
                .run(context -> assertThat(
                                context.getBean(GeoRepNode.class).identity().toString())
                        .contains("elsewhere"));
    }

    @Configuration(proxyBeanMethods = false)
    static class SmsApplication {
        @Bean
        SmsService smsService(@OutboxName("${queue:sms}") Outbox<Sms> outbox) {
            return new SmsService(outbox);
        }
    }

    static class SmsService {
        final Outbox<Sms> outbox;
        final BlockingQueue<Delivery<Sms>> forwarded = new LinkedBlockingQueue<>();

        SmsService(Outbox<Sms> outbox) {
            this.outbox = outbox;
        }

        @OutboxListener("${queue:sms}")
        void forward(Sms sms, Delivery<Sms> delivery) {
            assertThat(delivery.payload()).isSameAs(sms);
            forwarded.add(delivery);
        }
    }

    static class MailService {
        final Outbox<String> mail;

        MailService(Outbox<String> mail) {
            this.mail = mail;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnOutbox {
        @Bean
        Outbox<String> own(GeoRepNode node) {
            return node.outbox("own", String.class, options -> options.f(0));
        }

        @Bean
        MailService mailService(Outbox<String> mail) {
            return new MailService(mail);
        }
    }
}
