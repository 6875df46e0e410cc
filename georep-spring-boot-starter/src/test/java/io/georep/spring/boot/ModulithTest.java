package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.georep.GeoRepNode;
import io.georep.model.ClosedException;
import io.georep.model.ConfigurationException;
import io.georep.model.EntryId;
import io.georep.model.RejectedException;
import io.georep.outbox.Delivery;
import io.georep.outbox.SendInterceptor;
import io.georep.spring.OutboxListener;
import io.georep.spring.Outboxes;
import io.georep.spring.modulith.OutboxEventTransport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.Externalized;
import org.springframework.modulith.events.IncompleteEventPublications;
import org.springframework.modulith.events.RoutingTarget;
import org.springframework.modulith.events.core.EventPublicationRegistry;
import org.springframework.modulith.events.support.EventExternalizationTransport;
import org.springframework.modulith.events.support.EventExternalizerModuleListener;
import org.springframework.modulith.events.support.OutboxEventExternalizer;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Application events that Spring Modulith externalizes, with its registry of publications in a database. */
class ModulithTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes({@JsonSubTypes.Type(OrderPlaced.class), @JsonSubTypes.Type(OrderCancelled.class)})
    interface OrderEvent {
        String order();
    }

    @Externalized("orders::#{#this.order()}")
    record OrderPlaced(String order, int items) implements OrderEvent {}

    @Externalized("orders::#{#this.order()}")
    record OrderCancelled(String order) implements OrderEvent {}

    @Externalized("nowhere")
    record Misdirected(String text) {}

    static ApplicationContextRunner runner() {
        return new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withPropertyValues(
                        "georep.node-id=n1",
                        "georep.durability=memory",
                        "georep.outboxes.orders.f=0",
                        "spring.datasource.url=jdbc:h2:mem:${random.uuid};DB_CLOSE_DELAY=-1",
                        "spring.modulith.events.jdbc.schema-initialization.enabled=true");
    }

    @Test
    void anEventGoesThroughTheOutboxAfterTheCommit() {
        runner().withBean(Orders.class).run(context -> {
            publish(context, new OrderPlaced("o-1", 3));

            Delivery<OrderPlaced> delivery =
                    context.getBean(Orders.class).received.poll(20, TimeUnit.SECONDS);
            assertThat(delivery.payload()).isEqualTo(new OrderPlaced("o-1", 3));
            assertThat(delivery.headers()).containsEntry("connect.key", "o-1");
            // One key belongs to many events: for a consumer that wants each event once, they are not duplicates.
            assertThat(delivery.producerKey()).isNull();
            awaitIncomplete(context, 0);
        });
    }

    @Test
    void anEventOfATransactionThatRollsBackIsNotSent() {
        runner().withBean(Orders.class).run(context -> {
            new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
                context.publishEvent(new OrderPlaced("o-1", 3));
                status.setRollbackOnly();
            });

            assertThat(context.getBean(Outboxes.class)
                            .outbox("orders", OrderPlaced.class)
                            .statistics()
                            .acknowledged())
                    .isZero();
        });
    }

    /** Spring Modulith keeps what was not acknowledged, and sends it again when it is told to, or at the next start. */
    @Test
    void anEventThatTheNodeRefusesStaysIncompleteAndCanBeSentAgain() {
        runner().withBean(Orders.class).run(context -> {
            Application application = context.getBean(Application.class);
            application.refuses = true;
            publish(context, new OrderPlaced("o-2", 1));
            awaitIncomplete(context, 1);
            assertThat(context.getBean(Orders.class).received).isEmpty();

            application.refuses = false;
            context.getBean(IncompleteEventPublications.class).resubmitIncompletePublications(any -> true);

            assertThat(context.getBean(Orders.class)
                            .received
                            .poll(20, TimeUnit.SECONDS)
                            .payload())
                    .isEqualTo(new OrderPlaced("o-2", 1));
            awaitIncomplete(context, 0);
        });
    }

    /** Spring Modulith marks the publication in its database there, which may be away: sends of others go on. */
    @Test
    void whatFollowsASendDoesNotRunOnTheThreadThatAnswersSends() {
        runner().run(context -> {
            Application application = context.getBean(Application.class);
            application.answered = new CompletableFuture<>();
            CompletableFuture<Thread> follower =
                    externalize(context, new OrderPlaced("o-7", 1), "orders").thenApply(id -> Thread.currentThread());

            Awaitility.await()
                    .atMost(SOON)
                    .until(() -> context.getBean(Outboxes.class)
                                    .outbox("orders", OrderPlaced.class)
                                    .statistics()
                                    .acknowledged()
                            == 1);
            application.answered.complete(null); // this thread answers

            assertThat(follower.get(SOON.toSeconds(), TimeUnit.SECONDS)).isNotEqualTo(Thread.currentThread());
        });
    }

    /** A slow database takes neither a thread for each event nor the pool that others use. */
    @Test
    void aFewThreadsFollowManySends() {
        runner().run(context -> {
            Application application = context.getBean(Application.class);
            application.answered = new CompletableFuture<>();
            List<CompletableFuture<Thread>> followers = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                followers.add(externalize(context, new OrderPlaced("o-" + i, 1), "orders")
                        .thenApply(id -> Thread.currentThread()));
            }
            application.answered.complete(null);

            assertThat(followers.stream().map(CompletableFuture::join).distinct())
                    .hasSizeLessThanOrEqualTo(4)
                    .allSatisfy(thread -> assertThat(thread.getName()).startsWith("georep-modulith-"));
        });
    }

    @Test
    void aClosedNodeFailsTheEvent() {
        runner().withBean(Orders.class).run(context -> {
            context.getBean(GeoRepNode.class).close();

            assertThatThrownBy(() -> externalize(context, new OrderPlaced("o-3", 1), "orders")
                            .join())
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(ClosedException.class);
        });
    }

    @Test
    void eventsOfSeveralTypesShareAnOutboxThatIsOpenForWhatTheyHaveInCommon() {
        runner().withBean(AllOrders.class).run(context -> {
            publish(context, new OrderPlaced("o-4", 1));
            assertThat(context.getBean(AllOrders.class)
                            .received
                            .poll(20, TimeUnit.SECONDS)
                            .payload())
                    .isEqualTo(new OrderPlaced("o-4", 1));

            publish(context, new OrderCancelled("o-4"));
            assertThat(context.getBean(AllOrders.class)
                            .received
                            .poll(20, TimeUnit.SECONDS)
                            .payload())
                    .isEqualTo(new OrderCancelled("o-4"));
        });
    }

    @Test
    void anEventToAnOutboxThatNobodyDeclaredSaysWhatToDo() {
        runner().run(context -> assertThatThrownBy(() ->
                        externalize(context, new Misdirected("x"), "nowhere").join())
                .hasCauseInstanceOf(ConfigurationException.class)
                .hasMessageContaining("Misdirected are externalized to 'nowhere'")
                .hasMessageContaining("georep.outboxes.nowhere.f=1"));
    }

    @Test
    void headersOfTheConfigurationTravelWithTheEntry() {
        runner().withBean(Orders.class)
                .withBean(
                        EventExternalizationConfiguration.class,
                        () -> EventExternalizationConfiguration.externalizing()
                                .select(EventExternalizationConfiguration.annotatedAsExternalized())
                                .headers(OrderPlaced.class, event -> Map.of("items", event.items()))
                                .build())
                .run(context -> {
                    publish(context, new OrderPlaced("o-5", 7));

                    assertThat(context.getBean(Orders.class)
                                    .received
                                    .poll(20, TimeUnit.SECONDS)
                                    .headers())
                            .containsEntry("items", "7");
                });
    }

    /** A library that keeps the events itself calls this for each of them, again and again until it does not throw. */
    @Test
    void inModeOutboxWhoeverKeepsAnEventSendsItAndIsToldWhetherItIsSafe() {
        runner().withBean(Orders.class)
                .withPropertyValues("spring.modulith.events.externalization.mode=outbox")
                .run(context -> {
                    assertThat(context).hasNotFailed().doesNotHaveBean(EventExternalizerModuleListener.class);
                    OutboxEventExternalizer externalizer = context.getBean(OutboxEventExternalizer.class);
                    OrderPlaced event = new OrderPlaced("o-6", 2);
                    Application application = context.getBean(Application.class);
                    application.refuses = true;
                    assertThatThrownBy(() -> externalizer.externalizeBlocking(event))
                            .hasRootCauseInstanceOf(RejectedException.class);

                    application.refuses = false;
                    externalizer.externalizeBlocking(event);

                    assertThat(context.getBean(Outboxes.class)
                                    .outbox("orders", OrderPlaced.class)
                                    .statistics()
                                    .acknowledged())
                            .as("when it returns")
                            .isEqualTo(1);
                    Delivery<OrderPlaced> delivery =
                            context.getBean(Orders.class).received.poll(20, TimeUnit.SECONDS);
                    assertThat(delivery.payload()).isEqualTo(event);
                    assertThat(delivery.headers()).containsEntry("connect.key", "o-6");
                });
    }

    @Test
    void anotherTransportIsLeftAlone() {
        EventExternalizationTransport other = (payload, target) -> CompletableFuture.completedFuture(null);
        runner().withBean("other", EventExternalizationTransport.class, () -> other)
                .run(context -> assertThat(context)
                        .doesNotHaveBean(OutboxEventTransport.class)
                        .doesNotHaveBean(EventExternalizerModuleListener.class));
    }

    @Test
    void externalizationThatIsSwitchedOffStaysOff() {
        runner().withPropertyValues("spring.modulith.events.externalization.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(OutboxEventTransport.class));
    }

    private static CompletableFuture<?> externalize(ApplicationContext context, Object event, String target) {
        RoutingTarget.RoutingTargetBuilder builder = RoutingTarget.forTarget(target);
        return context.getBean(OutboxEventTransport.class)
                .externalize(
                        event, event instanceof OrderEvent ? builder.andKey("#{#this.order()}") : builder.withoutKey());
    }

    private static void publish(ApplicationContext context, Object event) {
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                .executeWithoutResult(status -> context.publishEvent(event));
    }

    private static void awaitIncomplete(ApplicationContext context, int count) {
        Awaitility.await()
                .atMost(SOON)
                .untilAsserted(() -> assertThat(incomplete(context)).hasSize(count));
    }

    private static List<?> incomplete(ApplicationContext context) {
        return context.getBean(EventPublicationRegistry.class).findIncompletePublications().stream()
                .toList();
    }

    static class Orders {
        final BlockingQueue<Delivery<OrderPlaced>> received = new LinkedBlockingQueue<>();

        @OutboxListener("orders")
        void forward(OrderPlaced event, Delivery<OrderPlaced> delivery) {
            received.add(delivery);
        }
    }

    static class AllOrders {
        final BlockingQueue<Delivery<OrderEvent>> received = new LinkedBlockingQueue<>();

        @OutboxListener("orders")
        void forward(OrderEvent event, Delivery<OrderEvent> delivery) {
            received.add(delivery);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        volatile boolean refuses;

        /** Before this is complete, no send is answered. */
        volatile CompletableFuture<?> answered = CompletableFuture.completedFuture(null);

        @Bean
        SendInterceptor refusal() {
            return new SendInterceptor() {
                @Override
                public <T> List<CompletionStage<EntryId>> send(Call<T> call, Next<T> next) {
                    if (refuses) {
                        return List.of(CompletableFuture.failedFuture(
                                new RejectedException(RejectedException.Reason.TOO_FEW_PEERS, "no copies")));
                    }
                    List<CompletionStage<EntryId>> stages = new ArrayList<>();
                    next.send(call).forEach(stage -> stages.add(stage.thenCombine(answered, (id, none) -> id)));
                    return stages;
                }
            };
        }

        @Bean
        PlatformTransactionManager transactionManager(javax.sql.DataSource source) {
            return new DataSourceTransactionManager(source);
        }
    }
}
