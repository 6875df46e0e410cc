package io.georep.spring.boot;

import io.georep.GeoRepNode;
import io.georep.spring.TransactionCheck;
import io.georep.spring.outbox.Deduplication;
import io.georep.spring.transaction.CommitGate;
import io.georep.spring.transaction.TransactionSettings;
import io.georep.spring.transaction.TransactionalSends;
import io.georep.spring.transaction.UndecidedEntries;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.Order;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Sends that share the fate of a Spring transaction. */
@AutoConfiguration(after = GeoRepAutoConfiguration.class)
@ConditionalOnClass({GeoRepNode.class, TransactionSynchronizationManager.class})
@ConditionalOnBean({GeoRepNode.class, Deduplication.class})
@ConditionalOnProperty(name = "georep.transactions.enabled", havingValue = "true", matchIfMissing = true)
final class GeoRepTransactionAutoConfiguration {
    @Bean
    @Order(200)
    @ConditionalOnMissingBean(TransactionalSends.class)
    TransactionalSends georepTransactionalSends(GeoRepNode node, GeoRepProperties properties) {
        return new TransactionalSends(settings(properties), node::onApplicationThread);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static CommitGate georepCommitGate(ObjectProvider<TransactionalSends> sends) {
        return new CommitGate(sends);
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean(UndecidedEntries.class)
    UndecidedEntries georepUndecidedEntries(
            GeoRepNode node,
            GeoRepProperties properties,
            TransactionalSends sends,
            ObjectProvider<TransactionCheck> checks) {
        return new UndecidedEntries(
                node.identity().id(),
                settings(properties),
                sends,
                () -> checks.orderedStream().toList());
    }

    private static TransactionSettings settings(GeoRepProperties properties) {
        GeoRepProperties.Transactions transactions = properties.transactions();
        return new TransactionSettings(
                transactions.holdTimeout(), transactions.checkAfter(), transactions.checkInterval());
    }
}
