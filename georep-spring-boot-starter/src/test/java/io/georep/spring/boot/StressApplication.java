package io.georep.spring.boot;

import io.georep.outbox.Delivery;
import io.georep.spring.AckMode;
import io.georep.spring.Acknowledgement;
import io.georep.spring.OutboxListener;
import io.georep.spring.ReplicatedQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import javax.sql.DataSource;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** What {@link StarterStressTest} runs: listeners of all kinds that misbehave, and a database that loses answers. */
@Configuration(proxyBeanMethods = false)
class StressApplication {
    static final int CAPACITY = 8;

    @Bean
    Manager transactionManager(DataSource source, StressAccount account) {
        return new Manager(source, account);
    }

    @Bean
    @ReplicatedQueue(f = 0)
    BlockingQueue<String> elements() {
        return new LinkedBlockingQueue<>(CAPACITY);
    }

    @SuppressWarnings("unchecked")
    static BlockingQueue<String> queue(ApplicationContext context) {
        return (BlockingQueue<String>) context.getBean("elements");
    }

    @Bean
    Listeners listeners(StressAccount account) {
        return new Listeners(account);
    }

    static class Listeners {
        private final StressAccount account;

        Listeners(StressAccount account) {
            this.account = account;
        }

        @OutboxListener(value = "auto", errorHandler = "moody")
        void auto(Delivery<String> delivery) {
            account.arrived(delivery);
            account.trouble(delivery);
            account.handled(delivery);
        }

        @OutboxListener(value = "manual", ackMode = AckMode.MANUAL, errorHandler = "moody")
        void manual(Delivery<String> delivery, Acknowledgement acknowledgement) {
            account.arrived(delivery);
            account.trouble(delivery);
            if (account.forgets()) {
                return; // until the listener stops
            }
            CompletableFuture.runAsync(() -> {
                account.handled(delivery);
                acknowledgement.acknowledge();
            });
        }

        @OutboxListener(value = "later", errorHandler = "moody")
        CompletionStage<Void> later(Delivery<String> delivery) {
            account.arrived(delivery);
            account.trouble(delivery);
            return CompletableFuture.runAsync(() -> account.handled(delivery));
        }
    }

    /** What a transaction wrote is in the account's database exactly when it committed, whatever the caller was told. */
    static final class Manager extends DataSourceTransactionManager {
        private static final long serialVersionUID = 1L;
        private static final int LOSES_COMMIT = 1;
        private static final int LOSES_ROLLBACK = 2;

        private final transient StressAccount account;
        private final transient ThreadLocal<List<List<String>>> open = ThreadLocal.withInitial(ArrayList::new);
        private final transient ThreadLocal<Integer> fate = ThreadLocal.withInitial(() -> -1);

        Manager(DataSource source, StressAccount account) {
            super(source);
            this.account = account;
        }

        void insert(String row) {
            List<List<String>> all = open.get();
            all.get(all.size() - 1).add(row);
        }

        /** How the outermost transaction of this thread is to end. */
        void fate(int value) {
            fate.set(value);
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            super.doBegin(transaction, definition);
            open.get().add(new ArrayList<>());
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            int how = fate.get();
            if (how == LOSES_ROLLBACK) {
                super.doRollback(status);
                throw new TransactionSystemException("rolled back, but nobody knows");
            }
            super.doCommit(status);
            List<List<String>> all = open.get();
            account.committed(all.get(all.size() - 1));
            if (how == LOSES_COMMIT) {
                throw new TransactionSystemException("committed, but nobody knows");
            }
        }

        @Override
        protected void doCleanupAfterCompletion(Object transaction) {
            super.doCleanupAfterCompletion(transaction);
            List<List<String>> all = open.get();
            all.remove(all.size() - 1);
            fate.set(-1);
        }
    }
}
