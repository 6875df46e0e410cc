package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.georep.examples.sms.receipts.Route;
import io.georep.model.IndeterminateException;
import io.georep.outbox.Outbox;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

final class SmsIntakeTest {
    private static final Sms SMS = Sms.text(Address.parse("GeoRep"), Address.parse("+31201234567"), "x", false);
    private static final SmsProperties PROPERTIES = new Binder(new MapConfigurationPropertySource(Map.of(
                    "sms.accounts.client.password",
                    "c",
                    "sms.accounts.client.rate",
                    "0",
                    "sms.operator.password",
                    "o")))
            .bindOrCreate("sms", SmsProperties.class);

    @SuppressWarnings("unchecked")
    private static Outbox<Sms> failing(Throwable error) {
        return (Outbox<Sms>) Proxy.newProxyInstance(
                SmsIntakeTest.class.getClassLoader(),
                new Class<?>[] {Outbox.class},
                (proxy, method, arguments) -> CompletableFuture.failedFuture(error));
    }

    /** Clients send on, and the disk would fill. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anOutageDoesNotFillTheLog(boolean unknown) {
        Throwable error = unknown ? new IndeterminateException("no answer") : new IllegalStateException("a bug");
        Accounts accounts = new Accounts(PROPERTIES.accounts());
        Account account = accounts.find("client");
        Backlog backlog = new Backlog(null);
        SmsIntake intake =
                new SmsIntake(failing(error), null, PROPERTIES, accounts, backlog, new SimpleMeterRegistry());
        Logger log = (Logger) LoggerFactory.getLogger(SmsIntake.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        log.setLevel(Level.WARN);
        log.addAppender(lines);
        lines.start();
        try {
            long begin = System.nanoTime();
            for (int i = 0; i < 1000; i++) {
                assertThat(intake.take(account, SMS, Route.HTTP).toCompletableFuture())
                        .isCompletedExceptionally();
            }

            long minutes = 1 + (System.nanoTime() - begin) / 60_000_000_000L;
            assertThat(lines.list).hasSizeBetween(1, (int) (11 * minutes));
            assertThat(lines.list.get(0).getFormattedMessage()).contains("A message");
        } finally {
            log.detachAppender(lines);
            log.setLevel(null);
            backlog.destroy();
        }
    }
}
