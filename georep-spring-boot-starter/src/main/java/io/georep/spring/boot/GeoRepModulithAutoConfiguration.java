package io.georep.spring.boot;

import io.georep.GeoRepNode;
import io.georep.spring.modulith.OutboxEventTransport;
import io.georep.spring.outbox.OpenOutboxes;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.Ordered;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.ExternalizationMode;
import org.springframework.modulith.events.config.EventExternalizationAutoConfiguration;
import org.springframework.modulith.events.support.EventExternalizationTransport;
import org.springframework.modulith.events.support.EventExternalizerModuleListener;
import org.springframework.modulith.events.support.OutboxEventExternalizer;
import org.springframework.modulith.events.support.OutboxEventExternalizerFactory;

/** Application events that Spring Modulith externalizes, unless they go to another broker. */
@AutoConfiguration(after = {GeoRepAutoConfiguration.class, EventExternalizationAutoConfiguration.class})
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnClass({GeoRepNode.class, EventExternalizationTransport.class})
@ConditionalOnBean({OpenOutboxes.class, GeoRepProperties.class, EventExternalizationConfiguration.class})
@ConditionalOnMissingBean(EventExternalizationTransport.class)
final class GeoRepModulithAutoConfiguration {
    @Bean
    OutboxEventTransport georepEventTransport(
            OpenOutboxes outboxes,
            GeoRepProperties properties,
            EventExternalizationConfiguration configuration,
            BeanFactory beans) {
        StandardEvaluationContext context = new StandardEvaluationContext();
        context.setBeanResolver(new BeanFactoryResolver(beans));
        return new OutboxEventTransport(outboxes, properties.outboxes()::containsKey, configuration, context);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnProperty(name = ExternalizationMode.PROPERTY, havingValue = "module-listener", matchIfMissing = true)
    EventExternalizerModuleListener georepEventExternalizer(
            EventExternalizationConfiguration configuration, OutboxEventTransport transport) {
        return new EventExternalizerModuleListener(configuration, transport);
    }

    @Bean
    @ConditionalOnProperty(name = ExternalizationMode.PROPERTY, havingValue = "outbox")
    OutboxEventExternalizer georepOutboxEventExternalizer(
            OutboxEventExternalizerFactory factory, OutboxEventTransport transport) {
        return factory.forTransport(transport);
    }
}
