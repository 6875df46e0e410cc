package io.georep.spring.boot;

import io.georep.GeoRepNode;
import io.georep.flagons.FleetFlags;
import io.georep.flagons.FleetMap;
import io.georep.flagons.FleetMaps;
import io.georep.spi.CodecResolver;
import io.georep.spring.outbox.JsonCodecs;
import io.georep.spring.outbox.PayloadCodecs;
import org.springframework.beans.factory.InjectionPoint;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Scope;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Fleet maps and feature flags, if the properties name seeds of a fleet, or a role in it. */
@AutoConfiguration(after = GeoRepAutoConfiguration.class)
@ConditionalOnClass(GeoRepNode.class)
@ConditionalOnBean(GeoRepNode.class)
final class GeoRepFleetAutoConfiguration {
    @Bean
    @Conditional(FleetNamed.class)
    @ConditionalOnMissingBean(FleetMaps.class)
    FleetMaps georepFleetMaps(GeoRepNode node) {
        return node.service(FleetMaps.class);
    }

    /** They belong to no {@code Environment}: who reads one sees what the fleet says now. */
    @Bean
    @ConditionalOnBean(FleetMaps.class)
    @ConditionalOnMissingBean(FleetFlags.class)
    FleetFlags georepFleetFlags(FleetMaps maps) {
        return new FleetFlags(maps);
    }

    /** Any {@code FleetMap<K, V>} that no other bean provides. */
    @Bean
    @Fallback
    @ConditionalOnBean(FleetMaps.class)
    @Scope(BeanDefinition.SCOPE_PROTOTYPE)
    FleetMap<?, ?> georepInjectedFleetMap(
            InjectionPoint point,
            FleetMaps maps,
            ConfigurableBeanFactory beans,
            ObjectProvider<CodecResolver> resolvers,
            ObjectProvider<JsonCodecs> json) {
        InjectedMap wanted = InjectedMap.at(point, FleetMap.class, "FleetMaps.map(name, keys, values)", beans);
        PayloadCodecs codecs = new PayloadCodecs(beans, resolvers, json);
        String user = "fleet map '" + wanted.name() + "'";
        return maps.map(wanted.name(), wanted.keyCodec(user, codecs), codecs.codec(user, wanted.values()));
    }

    /** Matches if the properties name seeds or a role. */
    static final class FleetNamed implements Condition {
        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            Binder binder = Binder.get(context.getEnvironment());
            return binder.bind("georep.fleet.role", Bindable.of(String.class)).isBound()
                    || binder.bind("georep.fleet.seeds", Bindable.listOf(String.class))
                            .map(seeds -> !seeds.isEmpty())
                            .orElse(false);
        }
    }
}
