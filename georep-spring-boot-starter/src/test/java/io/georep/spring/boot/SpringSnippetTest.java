package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.GeoRepNode;
import io.georep.model.EntryId;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import io.georep.spring.Outboxes;
import io.georep.spring.TransactionCheck;
import io.georep.spring.boot.Snippets.Application;
import io.georep.spring.boot.Snippets.Application.Mail;
import io.georep.spring.boot.Snippets.Application.Order;
import io.georep.spring.boot.Snippets.Application.OrderRepository;
import io.georep.spring.boot.Snippets.Application.Sms;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.stereotype.Service;
import org.springframework.util.ReflectionUtils;

/** The Java of the pages on the starter, and that of README.md for Spring, does what they say; with threads, ten times out of ten. */
@Timeout(120)
class SpringSnippetTest {
    private static final String PAGE = "docs/use/spring-boot.md";
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int MANY = 300;

    /** 1 + 2 + 4 + 8 + 16 + 32 seconds. */
    private static final int MINUTE_ATTEMPTS = 6;

    @TempDir
    static Path directory;

    private final SnippetPage page = SnippetPage.of(PAGE);
    private final SnippetPage listeners = SnippetPage.of("docs/use/spring-boot-listeners.md");
    private final SnippetPage tests = SnippetPage.of("docs/use/spring-boot-tests.md");

    @BeforeEach
    void begin() {
        Application.operator = new Snippets.Operator();
        Application.smtp = new Application.Smtp();
    }

    @Test
    void everySnippetIsRun() {
        assertThat(page.snippets()).hasSize(2);
        assertThat(listeners.snippets()).hasSize(4);
        assertThat(tests.snippets()).hasSize(2);
        assertThat(List.of(page, listeners, tests))
                .allSatisfy(each -> assertThat(each.needlessImports()).isEmpty());
    }

    @RepeatedTest(10)
    @SuppressWarnings("unchecked")
    void aReplicatedQueueIsAQueue() {
        application(page.snippet("@ReplicatedQueue(f = 1)")).run(context -> {
            BlockingQueue<Sms> outgoing = context.getBean("outgoing", BlockingQueue.class);

            outgoing.put(new Sms("+31", "hello"));

            assertThat(outgoing.poll(60, TimeUnit.SECONDS)).isEqualTo(new Sms("+31", "hello"));
            assertThat(outgoing.poll())
                    .as("asking for the next one acknowledges")
                    .isNull();
        });
    }

    @RepeatedTest(10)
    void aListenerForwardsWhatAServiceSends() {
        aListenerForwards(page, Sms.class, new Sms("+31", "hello"));
    }

    @RepeatedTest(10)
    void theServiceOfTheReadmeForwardsWhatItAccepts() {
        aListenerForwards(SnippetPage.of("README.md", PAGE), String.class, "hello");
    }

    private static <T> void aListenerForwards(SnippetPage page, Class<T> type, T message) {
        application(page, page.snippet("class Messages")).run(context -> {
            Object messages = context.getBeansWithAnnotation(Service.class)
                    .values()
                    .iterator()
                    .next();
            Method accept = ReflectionUtils.findMethod(messages.getClass(), "accept", type);
            ReflectionUtils.makeAccessible(accept);

            accept.invoke(messages, message);

            assertThat(Application.operator.submitted.poll(60, TimeUnit.SECONDS))
                    .isEqualTo(message);
        });
    }

    @RepeatedTest(10)
    void anErrorHandlerDecides() {
        String listener = listeners.snippet("errorHandler = \"smsErrors\"")
                + "void forward(Sms sms) { operator.submit(sms); throw new UnknownNumberException(); }\n";
        application(listeners, listeners.snippet("OutboxErrorHandler smsErrors()"), listener)
                .run(context -> {
                    Outbox<Sms> outbox = context.getBean(Outboxes.class).outbox("sms", Sms.class);

                    outbox.sendAndWait(new Sms("+31", "hello"), SOON);

                    Awaitility.await()
                            .untilAsserted(() ->
                                    assertThat(outbox.statistics().forwarded()).isOne());
                    assertThat(Application.operator.submitted).hasSize(1);
                });
    }

    @RepeatedTest(10)
    void aBatchFailsForSomeOnly() {
        application(listeners, listeners.snippet("smtp.submitAll(batch)"))
                .withPropertyValues("georep.outboxes.mail.retry.delay-min=10ms")
                .run(context -> {
                    Outbox<Mail> outbox = context.getBean(Outboxes.class).outbox("mail", Mail.class);
                    outbox.sendAndWait(new Mail("nobody"), SOON);
                    outbox.sendAndWait(new Mail("somebody"), SOON);

                    Awaitility.await()
                            .untilAsserted(() -> assertThat(Application.smtp.sent)
                                    .containsExactlyInAnyOrder(new Mail("nobody"), new Mail("somebody")));
                    assertThat(outbox.statistics().failedAttempts()).isOne();
                });
    }

    /** For as many attempts as there are in the first minute with default delays, a hundred times as fast. */
    private void survivesAConsumerThatIsDown(ApplicationContextRunner application, String queue, Object payload) {
        application
                .withPropertyValues("georep.outboxes." + queue + ".retry.delay-min=10ms")
                .run(context -> {
                    @SuppressWarnings("unchecked")
                    Outbox<Object> outbox =
                            context.getBean(Outboxes.class).outbox(queue, (Class<Object>) payload.getClass());
                    for (CompletionStage<EntryId> each : outbox.sendAll(Collections.nCopies(MANY, payload))) {
                        each.toCompletableFuture().get(60, TimeUnit.SECONDS);
                    }

                    Awaitility.await()
                            .atMost(Duration.ofSeconds(60))
                            .until(() -> outbox.statistics().forwarded() == MANY);
                    assertThat(outbox.statistics().failedAttempts()).isGreaterThanOrEqualTo(MINUTE_ATTEMPTS * MANY);
                    assertThat(outbox.statistics().deadLettered()).isZero();
                });
    }

    @Test
    void aListenerSurvivesAConsumerThatIsDown() {
        Application.operator.downFor(MINUTE_ATTEMPTS * MANY);

        survivesAConsumerThatIsDown(application(page.snippet("class Messages")), "sms", new Sms("+31", "hello"));

        assertThat(Application.operator.submitted).hasSize(MANY);
    }

    @Test
    void anErrorHandlerSurvivesAConsumerThatIsDown() {
        String listener =
                listeners.snippet("errorHandler = \"smsErrors\"") + "void forward(Sms sms) { operator.submit(sms); }\n";
        Application.operator.downFor(MINUTE_ATTEMPTS * MANY);

        survivesAConsumerThatIsDown(
                application(listeners, listeners.snippet("OutboxErrorHandler smsErrors()"), listener),
                "sms",
                new Sms("+31", "hello"));

        assertThat(Application.operator.submitted).hasSize(MANY);
    }

    /** After a failure that they shared, entries are tried alone. */
    @Test
    void aBatchSurvivesAConsumerThatIsDown() {
        Application.smtp.downFor(MINUTE_ATTEMPTS * MANY);

        survivesAConsumerThatIsDown(
                application(listeners, listeners.snippet("smtp.submitAll(batch)")), "mail", new Mail("somebody"));

        assertThat(Application.smtp.sent).hasSize(MANY);
    }

    @Test
    void aCheckLooksIntoTheTable() {
        OrderRepository orders = new OrderRepository();
        orders.ids.add("42");
        application(listeners, listeners.snippet("TransactionCheck orders("))
                .withBean(OrderRepository.class, () -> orders)
                .run(context -> {
                    TransactionCheck check = context.getBean(TransactionCheck.class);

                    Outbox<Order> outbox = context.getBean(Outboxes.class).outbox("orders", Order.class);
                    for (String id : List.of("42", "43")) {
                        outbox.prepare(new Order(id), SendOptions.defaults())
                                .toCompletableFuture()
                                .get(60, TimeUnit.SECONDS);
                    }
                    for (Delivery<Order> held :
                            outbox.undecided(null, 10).toCompletableFuture().get(60, TimeUnit.SECONDS)) {
                        assertThat(check.check("orders", held))
                                .isEqualTo(
                                        held.payload().id().equals("42")
                                                ? TransactionCheck.Outcome.COMMITTED
                                                : TransactionCheck.Outcome.ROLLED_BACK);
                    }
                });
    }

    @RepeatedTest(10)
    void aClusterIsCutAndCrashes() throws Exception {
        tests.statements(Snippets.Statements.class, directory, tests.snippet("cluster.network().cut("))
                .run();
    }

    @RepeatedTest(10)
    void contextsShareANetwork() {
        ApplicationContextRunner application = application(tests, tests.snippet("LocalNetwork NETWORK"))
                .withPropertyValues("georep.durability=memory");
        application
                .withPropertyValues("georep.node-id=a", "georep.host=local", "georep.port=1001")
                .run(one -> application
                        .withPropertyValues(
                                "georep.node-id=b", "georep.host=local", "georep.port=1002", "georep.seeds=local:1001")
                        .run(other -> {
                            GeoRepNode node = other.getBean(GeoRepNode.class);
                            Awaitility.await().until(() -> node.ready(1));
                            node.outbox("q", String.class).sendAndWait("hello", SOON);
                            assertThat(one.getBean(GeoRepNode.class).peers()).hasSize(1);
                        }));
    }

    private ApplicationContextRunner application(String... members) {
        return application(page, members);
    }

    private static ApplicationContextRunner application(SnippetPage page, String... members) {
        Object snippet = page.members(Application.class, directory, members);
        return TestApplication.runner()
                .withPropertyValues("georep.test.enabled=true")
                .withUserConfiguration(snippet.getClass())
                .withUserConfiguration(snippet.getClass().getDeclaredClasses());
    }
}
