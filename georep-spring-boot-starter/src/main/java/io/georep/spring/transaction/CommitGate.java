package io.georep.spring.transaction;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;

/**
 * The last moment before a commit: after all callbacks, which may send, too. A synchronization alone comes too early,
 * because Spring collects them before it calls the first, and calls those of equal order as they were registered.
 */
public final class CommitGate implements BeanPostProcessor, TransactionExecutionListener {
    private final ObjectProvider<TransactionalSends> sends;

    public CommitGate(ObjectProvider<TransactionalSends> sends) {
        this.sends = sends;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof PlatformTransactionManager && bean instanceof ConfigurableTransactionManager manager) {
            manager.addListener(this);
        }
        return bean;
    }

    /**
     * Waits for the answers of all sends of the transaction. With a savepoint it does not wait yet: the commit of the whole
     * transaction does.
     */
    @Override
    public void beforeCommit(TransactionExecution transaction) {
        if (transaction instanceof TransactionStatus status && status.hasSavepoint()) {
            return;
        }
        sends.ifAvailable(TransactionalSends::awaitAnswers);
    }
}
