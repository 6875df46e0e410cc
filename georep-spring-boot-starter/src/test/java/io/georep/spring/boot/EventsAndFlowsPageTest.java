package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.spring.boot.Snippets.Application;
import io.georep.spring.boot.Snippets.Application.Sms;
import java.lang.reflect.Constructor;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ApplicationContext;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.support.GenericMessage;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The Java of docs/use/spring-events-and-flows.md does what the page says. */
@Timeout(120)
class EventsAndFlowsPageTest {
    @TempDir
    static Path directory;

    private final SnippetPage page = SnippetPage.of("docs/use/spring-events-and-flows.md");

    @BeforeEach
    void begin() {
        Application.operator = new Snippets.Operator();
    }

    @Test
    void everySnippetIsRun() {
        assertThat(page.snippets()).hasSize(2);
        assertThat(page.needlessImports()).isEmpty();
    }

    @Test
    void anEventReachesTheListener() throws Exception {
        Object snippet = page.members(Application.class, directory, page.snippet("@Externalized("));
        Object event = record(snippet, "OrderPlaced").newInstance("o-1", 3);

        ModulithTest.runner()
                // By default only events in packages of the application count, and a snippet has no package.
                .withBean(
                        EventExternalizationConfiguration.class,
                        () -> EventExternalizationConfiguration.externalizing()
                                .select(EventExternalizationConfiguration.annotatedAsExternalized())
                                .build())
                .withUserConfiguration(type(snippet, "Shipping"))
                .run(context -> {
                    publish(context, event);

                    assertThat(Application.operator.submitted.poll(20, TimeUnit.SECONDS))
                            .isEqualTo(event);
                });
    }

    @Test
    void aMessageGoesThroughBothFlows() {
        Object snippet = page.members(Application.class, directory, page.snippet("class Flows"));
        TestApplication.alone()
                .withPropertyValues("georep.outboxes.sms.f=0")
                .withUserConfiguration(type(snippet, "Flows"))
                .run(context -> {
                    Sms sms = new Sms("+31", "hello");

                    context.getBean("accepted", MessageChannel.class).send(new GenericMessage<>(sms));

                    assertThat(Application.operator.submitted.poll(20, TimeUnit.SECONDS))
                            .isEqualTo(sms);
                });
    }

    private static void publish(ApplicationContext context, Object event) {
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                .executeWithoutResult(status -> context.publishEvent(event));
    }

    private static Constructor<?> record(Object snippet, String name) {
        Constructor<?> constructor = type(snippet, name).getDeclaredConstructors()[0];
        constructor.setAccessible(true);
        return constructor;
    }

    private static Class<?> type(Object snippet, String name) {
        return Arrays.stream(snippet.getClass().getDeclaredClasses())
                .filter(type -> type.getSimpleName().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
