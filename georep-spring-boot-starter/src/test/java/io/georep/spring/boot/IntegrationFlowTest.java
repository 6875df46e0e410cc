package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.GeoRepNode;
import io.georep.model.ClosedException;
import io.georep.model.EntryId;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import io.georep.spring.Outboxes;
import io.georep.spring.integration.OutboxMessageHandler;
import io.georep.spring.integration.OutboxMessageProducer;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.channel.DirectChannel;
import org.springframework.integration.channel.QueueChannel;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.dsl.IntegrationFlow;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.MessageDeliveryException;
import org.springframework.messaging.support.GenericMessage;
import org.springframework.messaging.support.MessageBuilder;

/** Flows of Spring Integration from and to an outbox, as spring-boot.md shows them. */
class IntegrationFlowTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    @Test
    void aMessageGoesThroughTheOutboxWithItsHeaders() {
        TestApplication.alone().withUserConfiguration(Flows.class).run(context -> {
            Message<?> received = sendAndReceive(
                    context,
                    MessageBuilder.withPayload("hello")
                            .setHeader("tenant", "acme")
                            .setHeader("internal", "not told")
                            .setHeader("order", 42)
                            .build());

            assertThat(received.getPayload()).isEqualTo("hello");
            assertThat(received.getHeaders()).containsEntry("tenant", "acme").doesNotContainKey("internal");
            Delivery<?> delivery = received.getHeaders().get(OutboxMessageProducer.DELIVERY, Delivery.class);
            assertThat(delivery).isNotNull();
            assertThat(delivery.producerKey()).isEqualTo("42");
            assertThat(received.getHeaders())
                    .containsEntry(OutboxMessageProducer.ENTRY_ID, delivery.id().toString());
            awaitForwarded(context, 1);
        });
    }

    /** Nothing else may stand in their place: every message has an id and a time of its own. */
    @Test
    void headersThatEveryMessageHasAreNotTakenFromTheEntry() {
        TestApplication.alone().withUserConfiguration(Flows.class).run(context -> {
            outbox(context)
                    .send("x", SendOptions.defaults().headers(Map.of("id", "a text", "timestamp", "never")))
                    .toCompletableFuture()
                    .join();

            Message<?> received = received(context).poll(20, TimeUnit.SECONDS);

            assertThat(received.getHeaders().getId()).isNotNull();
            assertThat(received.getHeaders().getTimestamp()).isPositive();
        });
    }

    /** Such as that of a message that a splitter made: headers of entries are texts. */
    @Test
    void aHeaderThatSpringWantsOfAnotherTypeKeepsNoEntryFromItsFlow() {
        TestApplication.alone().withUserConfiguration(Flows.class).run(context -> {
            outbox(context)
                    .send("x", SendOptions.defaults().headers(Map.of("sequenceNumber", "1", "tenant", "acme")))
                    .toCompletableFuture()
                    .join();

            Message<?> received = received(context).poll(20, TimeUnit.SECONDS);

            assertThat(received).isNotNull();
            assertThat(received.getHeaders()).containsEntry("tenant", "acme").doesNotContainKey("sequenceNumber");
        });
    }

    @Test
    void theOutboxTriesAgainAfterAFlowThatFailed() {
        TestApplication.alone().withUserConfiguration(Flows.class).run(context -> {
            context.getBean(Flows.class).failures = 2;

            Message<?> received = sendAndReceive(context, new GenericMessage<>("again"));

            Delivery<?> delivery = received.getHeaders().get(OutboxMessageProducer.DELIVERY, Delivery.class);
            assertThat(delivery.attempt()).isEqualTo(3);
            awaitForwarded(context, 1);
        });
    }

    @Test
    void whatFailsGoesToTheErrorChannelIfThereIsOne() {
        TestApplication.alone().withUserConfiguration(Flows.class).run(context -> {
            QueueChannel errors = new QueueChannel();
            context.getBean(OutboxMessageProducer.class).setErrorChannel(errors);
            context.getBean(Flows.class).failures = 1;

            outbox(context).send("bad").toCompletableFuture().join();

            assertThat(errors.receive(20_000)).isNotNull();
            awaitForwarded(context, 1);
            assertThat(received(context)).isEmpty();
        });
    }

    @Test
    void aStoppedFlowLeavesEntriesAlone() {
        TestApplication.alone().withUserConfiguration(Flows.class).run(context -> {
            OutboxMessageProducer<?> producer = context.getBean(OutboxMessageProducer.class);
            producer.stop();
            outbox(context).send("later").toCompletableFuture().join();
            assertThat(outbox(context).statistics().forwarded()).isZero();

            producer.start();

            assertThat(received(context).poll(20, TimeUnit.SECONDS).getPayload())
                    .isEqualTo("later");
        });
    }

    /** Else the node would not take what a flow that is under way sends last, and would not wait for it as long as it may take. */
    @Test
    void aFlowStopsBeforeItsNodeDoes() {
        TestApplication.alone().withUserConfiguration(Flows.class).run(context -> {
            assertThat(context.getBean(OutboxMessageProducer.class).getPhase())
                    .isGreaterThan(context.getBean(NodeLifecycle.class).getPhase());
        });
    }

    @Test
    void aPayloadOfAnotherTypeIsRefused() {
        TestApplication.alone()
                .withUserConfiguration(Flows.class)
                .run(context -> assertThatThrownBy(() -> input(context).send(new GenericMessage<>(42)))
                        .isInstanceOf(MessageDeliveryException.class)
                        .hasMessageContaining("outbox 'flow' takes java.lang.String")
                        .hasMessageContaining("java.lang.Integer")
                        .hasMessageContaining("put a transformer before"));
    }

    @Test
    void aRefusedSendSaysWhy() {
        TestApplication.alone().withUserConfiguration(Flows.class).run(context -> {
            context.getBean(GeoRepNode.class).close();

            assertThatThrownBy(() -> input(context).send(new GenericMessage<>("late")))
                    .isInstanceOf(MessageDeliveryException.class)
                    .hasMessageContaining("outbox 'flow' did not accept the message")
                    .hasCauseInstanceOf(ClosedException.class);
        });
    }

    @Test
    void aSendWithoutAnAnswerIsSaidToBeUnknown() {
        TestApplication.alone().withUserConfiguration(Flows.class).run(context -> {
            Outbox<String> silent = neverAnswering(outbox(context));
            OutboxMessageHandler<String> handler =
                    new OutboxMessageHandler<>(silent, String.class).sendTimeout(Duration.ofMillis(20));

            assertThatThrownBy(() -> handler.handleMessage(new GenericMessage<>("x")))
                    .isInstanceOf(MessageDeliveryException.class)
                    .hasMessageContaining("no answer of outbox 'flow' within PT0.02S")
                    .hasMessageContaining("may still be forwarded")
                    .hasCauseInstanceOf(TimeoutException.class);
        });
    }

    @SuppressWarnings("unchecked")
    private static Outbox<String> neverAnswering(Outbox<String> outbox) {
        return (Outbox<String>) Proxy.newProxyInstance(
                Outbox.class.getClassLoader(),
                new Class<?>[] {Outbox.class},
                (proxy, method, arguments) -> method.getName().equals("send")
                        ? new CompletableFuture<EntryId>()
                        : method.invoke(outbox, arguments));
    }

    private static MessageChannel input(ApplicationContext context) {
        return context.getBean("input", MessageChannel.class);
    }

    private static BlockingQueue<Message<?>> received(ApplicationContext context) {
        return context.getBean(Flows.class).received;
    }

    private static Outbox<String> outbox(ApplicationContext context) {
        return context.getBean(Outboxes.class).outbox("flow", String.class);
    }

    private static Message<?> sendAndReceive(ApplicationContext context, Message<?> message) throws Exception {
        assertThat(input(context).send(message)).isTrue();
        Message<?> found = received(context).poll(SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(found).isNotNull();
        return found;
    }

    private static void awaitForwarded(ApplicationContext context, long count) {
        Awaitility.await().atMost(SOON).until(() -> outbox(context).statistics().forwarded() == count);
    }

    @Configuration
    @EnableIntegration
    static class Flows {
        final BlockingQueue<Message<?>> received = new LinkedBlockingQueue<>();
        volatile int failures;

        @Bean
        DirectChannel input() {
            return new DirectChannel();
        }

        @Bean
        IntegrationFlow toOutbox(Outboxes outboxes) {
            return IntegrationFlow.from("input")
                    .handle(new OutboxMessageHandler<>(outboxes.outbox("flow", String.class), String.class)
                            .mappedHeaders("tenant", "trace*")
                            .producerKey(message -> text(message.getHeaders().get("order"))))
                    .get();
        }

        private static String text(Object value) {
            return value == null ? null : value.toString();
        }

        @Bean
        OutboxMessageProducer<String> producer(Outboxes outboxes) {
            return new OutboxMessageProducer<>(outboxes.outbox("flow", String.class));
        }

        @Bean
        IntegrationFlow fromOutbox(OutboxMessageProducer<String> producer) {
            return IntegrationFlow.from(producer)
                    .handle(message -> {
                        if (failures > 0) {
                            failures--;
                            throw new IllegalStateException("not now");
                        }
                        received.add(message);
                    })
                    .get();
        }
    }
}
