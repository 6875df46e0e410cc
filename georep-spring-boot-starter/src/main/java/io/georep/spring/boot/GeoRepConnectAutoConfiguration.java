package io.georep.spring.boot;

import io.georep.GeoRepNode;
import io.georep.keys.KeySpace;
import io.georep.spring.OutboxListeners;
import io.georep.spring.Outboxes;
import io.georep.spring.connect.ConnectHost;
import io.georep.spring.connect.HostParts;
import io.georep.spring.connect.RawOutboxes;
import io.georep.spring.listener.ListenerRegistry;
import java.util.Map;
import org.apache.kafka.connect.connector.Connector;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * The connectors of the application, if it has any and has the plugin API of Kafka Connect on its class path. A child
 * context has the same properties as its parent, which already runs them.
 */
@AutoConfiguration(after = GeoRepAutoConfiguration.class)
@ConditionalOnClass({GeoRepNode.class, Connector.class})
@ConditionalOnBean({GeoRepNode.class, Outboxes.class, GeoRepProperties.class})
@ConditionalOnMissingBean(ConnectHost.class)
@Conditional(GeoRepConnectAutoConfiguration.OnConnectors.class)
final class GeoRepConnectAutoConfiguration {
    @Bean
    RawOutboxes georepRawOutboxes() {
        return new RawOutboxes();
    }

    @Bean
    ConnectHost georepConnectors(
            GeoRepNode node,
            Outboxes outboxes,
            RawOutboxes raw,
            GeoRepProperties properties,
            PropertyMapping mapping,
            ResourceLoader resources,
            Environment environment) {
        HostParts parts = new HostParts(
                node,
                outboxes,
                raw,
                Math.min(Math.min(properties.defaultF(), mapping.copiesMax()), KeySpace.F_MAX),
                properties.protocol().suspectAfter().plus(properties.protocol().terminateAfter()),
                properties.closeTimeout());
        ClassLoader loader = resources.getClassLoader();
        return new ConnectHost(
                parts,
                ConnectorProperties.of(environment),
                properties.pluginPath(),
                loader == null ? GeoRepConnectAutoConfiguration.class.getClassLoader() : loader,
                properties.strict(),
                KnownKeys::distance,
                environment::getProperty);
    }

    /** Sinks forward, as listeners do: they start before what produces entries, and stop after it. */
    @Bean
    SmartLifecycle georepSinks(
            ConnectHost host, OutboxListeners listeners, Outboxes outboxes, GeoRepProperties properties) {
        return new ConnectorLifecycle(
                ListenerRegistry.PHASE,
                () -> {
                    ConnectorProperties.check(host.forwarded(), listeners, outboxes, properties);
                    host.start(true);
                },
                () -> host.stop(true));
    }

    /** Sources produce entries: they start last and stop first. */
    @Bean
    SmartLifecycle georepSources(ConnectHost host) {
        return new ConnectorLifecycle(SmartLifecycle.DEFAULT_PHASE, () -> host.start(false), () -> host.stop(false));
    }

    /** Matches if the properties name a connector. */
    static final class OnConnectors extends SpringBootCondition {
        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            boolean any = !Binder.get(context.getEnvironment())
                    .bind("georep.connectors", Bindable.mapOf(String.class, Object.class))
                    .orElse(Map.of())
                    .isEmpty();
            return new ConditionOutcome(
                    any,
                    ConditionMessage.of((any ? "there are" : "there are no") + " properties under georep.connectors"));
        }
    }
}
