package io.georep.spring.boot;

import io.georep.GeoRepNode;
import io.georep.funnel.ReplicatedMap;
import io.georep.funnel.ReplicatedMaps;
import io.georep.funnel.ViewMaster;
import io.georep.model.ConfigurationException;
import io.georep.spi.CodecResolver;
import io.georep.spring.Maps;
import io.georep.spring.maps.OpenMaps;
import io.georep.spring.maps.ReplicatedCaches;
import io.georep.spring.outbox.JsonCodecs;
import io.georep.spring.outbox.PayloadCodecs;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.beans.factory.InjectionPoint;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.cache.CacheManager;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Scope;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Replicated maps, if there is something that says who their members are. */
@AutoConfiguration(
        after = GeoRepAutoConfiguration.class,
        beforeName = "org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration")
@ConditionalOnClass(GeoRepNode.class)
@ConditionalOnBean(GeoRepNode.class)
final class GeoRepMapsAutoConfiguration {
    /** The master of a node that has no others. */
    @Bean
    @ConditionalOnProperty("georep.maps.alone")
    @ConditionalOnMissingBean(ViewMaster.Factory.class)
    ViewMaster.Factory georepLoneViewMaster() {
        return ViewMaster.Factory.alone();
    }

    /** The master that some of the nodes are together. */
    @Bean
    @Conditional(KeepersNamed.class)
    @ConditionalOnMissingBean(ViewMaster.Factory.class)
    ViewMaster.Factory georepKeptViewMaster(GeoRepProperties properties) {
        return new KeptViewMaster(properties.maps().master());
    }

    @Bean
    @ConditionalOnBean(ViewMaster.Factory.class)
    @ConditionalOnMissingBean(ReplicatedMaps.class)
    ReplicatedMaps georepReplicatedMaps(GeoRepNode node) {
        return node.service(ReplicatedMaps.class);
    }

    @Bean
    @ConditionalOnBean(ReplicatedMaps.class)
    @ConditionalOnMissingBean(Maps.class)
    OpenMaps georepMaps(
            ReplicatedMaps maps,
            ConfigurableBeanFactory beans,
            ObjectProvider<CodecResolver> resolvers,
            ObjectProvider<JsonCodecs> json,
            ApplicationEventPublisher events) {
        return new OpenMaps(maps, new PayloadCodecs(beans, resolvers, json), events);
    }

    /** Any {@code ReplicatedMap<K, V>} that no other bean provides. */
    @Bean
    @Fallback
    @ConditionalOnBean(Maps.class)
    @Scope(BeanDefinition.SCOPE_PROTOTYPE)
    ReplicatedMap<?, ?> georepInjectedMap(InjectionPoint point, Maps maps, ConfigurableBeanFactory beans) {
        InjectedMap wanted = InjectedMap.at(point, ReplicatedMap.class, "Maps.map(name, keyType, valueType)", beans);
        return maps.map(wanted.name(), wanted.keys(), wanted.values());
    }

    @Bean
    @Conditional(CachesNamed.class)
    @ConditionalOnBean(Maps.class)
    @ConditionalOnMissingBean(CacheManager.class)
    ReplicatedCaches georepCacheManager(Maps maps, GeoRepNode node, GeoRepProperties properties) {
        return new ReplicatedCaches(
                maps,
                caches(properties.maps().caches()),
                properties.maps().writeTimeout().plusSeconds(1),
                node::onApplicationThread);
    }

    private static Map<String, ReplicatedCaches.Settings> caches(Map<String, GeoRepProperties.MapCache> named) {
        Map<String, ReplicatedCaches.Settings> caches = new TreeMap<>();
        List<String> faults = new ArrayList<>();
        named.forEach((name, cache) -> {
            if (cache.valueType() == null) {
                faults.add("georep.maps.caches." + name
                        + ".value-type is missing: name the class of the values, for example com.example.Rate");
            } else {
                caches.put(name, new ReplicatedCaches.Settings(cache.keyType(), cache.valueType(), cache.timeToLive()));
            }
        });
        if (!faults.isEmpty()) {
            throw ConfigurationException.of(faults);
        }
        return caches;
    }

    /** Matches if the properties name keepers of views. */
    static final class KeepersNamed implements Condition {
        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return Binder.get(context.getEnvironment())
                    .bind("georep.maps.master.keepers", Bindable.listOf(String.class))
                    .map(keepers -> !keepers.isEmpty())
                    .orElse(false);
        }
    }

    /** Matches if the properties name caches. */
    static final class CachesNamed implements Condition {
        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            Environment environment = context.getEnvironment();
            return Binder.get(environment)
                    .bind("georep.maps.caches", Bindable.mapOf(String.class, Object.class))
                    .map(caches -> !caches.isEmpty())
                    .orElse(false);
        }
    }
}
