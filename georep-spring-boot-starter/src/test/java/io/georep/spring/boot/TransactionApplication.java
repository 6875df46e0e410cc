package io.georep.spring.boot;

import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import io.georep.spring.Outboxes;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** An application with a database for tests of transactions, and what they do with it again and again. */
final class TransactionApplication {
    private TransactionApplication() {}

    static final Duration SOON = Duration.ofSeconds(60);
    static final SendOptions KEY = SendOptions.defaults().producerKey("k");

    static ApplicationContextRunner runner() {
        return TestApplication.alone()
                .withUserConfiguration(Managers.class)
                .withBean(TransactionTest.Receiver.class)
                .withPropertyValues(
                        "georep.outboxes.orders.deduplication-window=1h",
                        "georep.transactions.check-after=100ms",
                        "georep.transactions.check-interval=100ms",
                        "georep.close-timeout=200ms")
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        TransactionAutoConfiguration.class,
                        GeoRepTransactionAutoConfiguration.class));
    }

    @Configuration(proxyBeanMethods = false)
    static class Managers {
        @Bean
        FailingManager transactionManager(javax.sql.DataSource source) {
            return new FailingManager(source);
        }
    }

    /** Commits in the database, and then does not know it. */
    static final class FailingManager extends DataSourceTransactionManager {
        static final long serialVersionUID = 1L;
        final transient AtomicBoolean losesAnswers = new AtomicBoolean();

        FailingManager(javax.sql.DataSource source) {
            super(source);
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            super.doCommit(status);
            if (losesAnswers.get()) {
                throw new TransactionSystemException("the connection broke during the commit");
            }
        }
    }

    static String received(ApplicationContext context) throws InterruptedException {
        return context.getBean(TransactionTest.Receiver.class).take().payload();
    }

    static <V> V join(CompletionStage<V> stage) {
        return stage.toCompletableFuture().join();
    }

    static TransactionTemplate transaction(ApplicationContext context) {
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    static TransactionTemplate another(ApplicationContext context) {
        TransactionTemplate template = transaction(context);
        template.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        return template;
    }

    static Outbox<String> outbox(ApplicationContext context) {
        return context.getBean(Outboxes.class).outbox("orders", String.class);
    }
}
