package io.georep.spring.boot;

import io.georep.GeoRepNode;
import io.georep.funnel.ViewMaster;
import io.georep.geopaxos.MapTransaction;
import io.georep.netty.MutualTls;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendInterceptor;
import io.georep.spi.CodecResolver;
import io.georep.spi.EncryptionKeys;
import io.georep.spi.PeerSelection;
import io.georep.spi.StoreFactory;
import io.georep.spi.Ticker;
import io.georep.spi.TransportFactory;
import io.georep.spring.GeoRepConnectionDetails;
import io.georep.spring.NodeBuilderCustomizer;
import io.georep.spring.OutboxListeners;
import io.georep.spring.Outboxes;
import io.georep.spring.boot.actuate.ReadinessTarget;
import io.georep.spring.listener.HandlerAdvice;
import io.georep.spring.listener.HandlerThreads;
import io.georep.spring.listener.ListenerAnnotations;
import io.georep.spring.listener.ListenerRegistry;
import io.georep.spring.listener.ListenerValues;
import io.georep.spring.outbox.Deduplication;
import io.georep.spring.outbox.JacksonCodecs;
import io.georep.spring.outbox.JsonCodecs;
import io.georep.spring.outbox.OpenListener;
import io.georep.spring.outbox.OpenOutboxes;
import io.georep.spring.outbox.PayloadCodecs;
import io.georep.spring.outbox.SendScope;
import io.georep.spring.queue.ReplicatedQueues;
import org.springframework.beans.factory.InjectionPoint;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Role;
import org.springframework.context.annotation.Scope;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import tools.jackson.databind.json.JsonMapper;

/** A node, its outboxes and their listeners. */
@AutoConfiguration(afterName = "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration")
@ConditionalOnClass(GeoRepNode.class)
@ConditionalOnProperty(name = "georep.enabled", havingValue = "true", matchIfMissing = true)
@EnableConfigurationProperties(GeoRepProperties.class)
@Import(NoConsole.class)
@ImportRuntimeHints(GeoRepRuntimeHints.class)
final class GeoRepAutoConfiguration {
    @Bean
    PropertyMapping georepPropertyMapping(GeoRepProperties properties, ObjectProvider<TransportFactory> transport) {
        return new PropertyMapping(properties, properties.copiesMax(transport.getIfAvailable()));
    }

    @Bean
    ReadinessTarget georepReadinessTarget(GeoRepProperties properties, PropertyMapping mapping) {
        Integer f = properties.health().f();
        return new ReadinessTarget(
                f == null ? null : Math.min(f, mapping.copiesMax()),
                Math.min(properties.defaultF(), mapping.copiesMax()));
    }

    @Bean
    @ConditionalOnMissingBean(GeoRepConnectionDetails.class)
    GeoRepConnectionDetails georepConnectionDetails(GeoRepProperties properties) {
        return properties::seeds;
    }

    @Bean
    KeyCheck georepKeyCheck(ConfigurableEnvironment environment, ListableBeanFactory beans) {
        return new KeyCheck(environment, beans);
    }

    /** Links are encrypted with this, whoever made it. */
    @Bean
    @ConditionalOnProperty("georep.ssl.bundle")
    @ConditionalOnMissingBean(MutualTls.class)
    MutualTls georepTls(GeoRepProperties properties, ObjectProvider<SslBundles> bundles) {
        return LinkTls.of(properties.ssl(), bundles.getIfAvailable());
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean(GeoRepNode.class)
    GeoRepNode georepNode(
            GeoRepProperties properties,
            KeyCheck keys,
            GeoRepConnectionDetails connection,
            ObjectProvider<PeerSelection> selection,
            ObjectProvider<TransportFactory> transport,
            ObjectProvider<MutualTls> tls,
            ObjectProvider<SslBundles> bundles,
            ObjectProvider<StoreFactory> store,
            ObjectProvider<EncryptionKeys> encryption,
            ObjectProvider<Ticker> ticker,
            ObjectProvider<ViewMaster.Factory> viewMaster,
            ObjectProvider<MapTransaction<?, ?>> transactions,
            ObjectProvider<NodeBuilderCustomizer> customizers) {
        return NodeFactory.start(
                properties,
                connection,
                NodeFactory.Parts.from(
                        selection, transport, tls, bundles, store, encryption, ticker, viewMaster, transactions),
                customizers.orderedStream().toList(),
                keys.faults(properties.strict()));
    }

    /** Only the context that has the node ends it, not its children. */
    @Bean
    @ConditionalOnBean(value = GeoRepNode.class, search = SearchStrategy.CURRENT)
    NodeLifecycle georepNodeLifecycle(GeoRepNode node, GeoRepProperties properties) {
        return new NodeLifecycle(node, properties);
    }

    @Bean
    @ConditionalOnBean(value = GeoRepNode.class, search = SearchStrategy.CURRENT)
    ReadinessWatch georepReadinessWatch(GeoRepNode node, Outboxes outboxes, ReadinessTarget target) {
        return new ReadinessWatch(node, outboxes, target);
    }

    @Bean
    @ConditionalOnMissingBean(Outboxes.class)
    OpenOutboxes georepOutboxes(
            GeoRepNode node,
            ConfigurableBeanFactory beans,
            PropertyMapping properties,
            ObjectProvider<CodecResolver> resolvers,
            ObjectProvider<JsonCodecs> json,
            ObjectProvider<SendInterceptor> interceptors,
            ObjectProvider<OpenListener> listeners) {
        return new OpenOutboxes(
                node,
                new PayloadCodecs(beans, resolvers, json),
                properties::sending,
                () -> interceptors.orderedStream().toList(),
                () -> listeners.orderedStream().toList());
    }

    @Bean
    @Order(0)
    @ConditionalOnMissingBean(Deduplication.class)
    Deduplication georepDeduplication(
            PropertyMapping properties, ObjectProvider<Ticker> ticker, ObjectProvider<SendScope.Current> scopes) {
        return new Deduplication(properties::sending, ticker.getIfAvailable(Ticker::system), scopes::getIfAvailable);
    }

    /** Any {@code Outbox<T>} that no other bean provides. */
    @Bean
    @Fallback
    @Scope(BeanDefinition.SCOPE_PROTOTYPE)
    Outbox<?> georepInjectedOutbox(
            InjectionPoint point, Outboxes outboxes, GeoRepProperties properties, ConfigurableBeanFactory beans) {
        return new InjectedOutbox(outboxes, properties.outboxes().keySet(), beans).at(point);
    }

    /** Each context has its own, because its listeners end with it. */
    @Bean
    @ConditionalOnMissingBean(value = OutboxListeners.class, search = SearchStrategy.CURRENT)
    ListenerRegistry georepListenerRegistry(
            Outboxes outboxes,
            GeoRepProperties properties,
            ObjectProvider<HandlerAdvice> advice,
            Environment environment) {
        return new ListenerRegistry(
                outboxes,
                HandlerAdvice.all(advice.orderedStream().toList()),
                new HandlerThreads(Threading.VIRTUAL.isActive(environment)),
                properties.closeTimeout());
    }

    /** What lazy beans will name is not known at the start. */
    @Bean
    @ConditionalOnBean({OpenOutboxes.class, ListenerRegistry.class})
    @ConditionalOnProperty(name = "spring.main.lazy-initialization", havingValue = "false", matchIfMissing = true)
    UndeclaredQueues georepUndeclaredQueues(
            OpenOutboxes outboxes, ListenerRegistry listeners, GeoRepProperties properties) {
        return new UndeclaredQueues(outboxes, listeners, properties);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ListenerAnnotations georepListenerAnnotations(
            ObjectProvider<ListenerRegistry> registry, ObjectProvider<ListenerValues.Source> source) {
        return new ListenerAnnotations(registry, source);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ReplicatedQueues georepReplicatedQueues(
            ObjectProvider<GeoRepNode> node,
            ObjectProvider<Outboxes> outboxes,
            ObjectProvider<OutboxListeners> listeners,
            ObjectProvider<ReplicatedQueues.StopTimeout> stopTimeout) {
        return new ReplicatedQueues(node, outboxes, listeners, stopTimeout, ListenerRegistry.PHASE);
    }

    /**
     * It is created eagerly: nobody injects a listener, and what a replicated queue held before a restart waits for it.
     */
    @Bean
    static LazyInitializationExcludeFilter georepLazyInitializationExcludeFilter() {
        return (beanName, definition, type) ->
                ListenerAnnotations.areIn(type) || ReplicatedQueues.isReplicated(definition);
    }

    @Bean
    ReplicatedQueues.StopTimeout georepQueueStopTimeout(GeoRepProperties properties) {
        return new ReplicatedQueues.StopTimeout(properties.closeTimeout());
    }

    /** Writes payloads as JSON with the mapper of the application. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(JsonMapper.class)
    static class Json {
        @Bean
        @ConditionalOnSingleCandidate(JsonMapper.class)
        @ConditionalOnMissingBean(JsonCodecs.class)
        JsonCodecs georepJsonCodecs(JsonMapper mapper) {
            return new JacksonCodecs(mapper);
        }
    }
}
