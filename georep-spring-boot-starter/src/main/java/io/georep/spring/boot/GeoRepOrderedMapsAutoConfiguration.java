package io.georep.spring.boot;

import io.georep.GeoRepNode;
import io.georep.geopaxos.MapSchema;
import io.georep.geopaxos.OrderedMap;
import io.georep.geopaxos.OrderedMaps;
import io.georep.spi.CodecResolver;
import io.georep.spring.outbox.JsonCodecs;
import io.georep.spring.outbox.PayloadCodecs;
import java.util.List;
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
import org.springframework.core.ResolvableType;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Ordered maps, if the properties name groups of voters. */
@AutoConfiguration(after = GeoRepAutoConfiguration.class)
@ConditionalOnClass(GeoRepNode.class)
@ConditionalOnBean(GeoRepNode.class)
final class GeoRepOrderedMapsAutoConfiguration {
    @Bean
    @Conditional(GroupsNamed.class)
    @ConditionalOnMissingBean(OrderedMaps.class)
    OrderedMaps georepOrderedMaps(GeoRepNode node) {
        return node.service(OrderedMaps.class);
    }

    /** Any {@code OrderedMap<K, V>} that no other bean provides. */
    @Bean
    @Fallback
    @ConditionalOnBean(OrderedMaps.class)
    @Scope(BeanDefinition.SCOPE_PROTOTYPE)
    OrderedMap<?, ?> georepInjectedOrderedMap(
            InjectionPoint point,
            OrderedMaps maps,
            ConfigurableBeanFactory beans,
            ObjectProvider<MapSchema<?, ?>> schemas,
            ObjectProvider<CodecResolver> resolvers,
            ObjectProvider<JsonCodecs> json) {
        InjectedMap wanted = InjectedMap.at(point, OrderedMap.class, "OrderedMaps.map(schema)", beans);
        return maps.map(wanted.schema(schemas.stream(), new PayloadCodecs(beans, resolvers, json)));
    }

    /** Matches if the properties name groups. */
    static final class GroupsNamed implements Condition {
        private static final Bindable<List<List<String>>> LIST_OF_LISTS =
                Bindable.of(ResolvableType.forClassWithGenerics(
                        List.class, ResolvableType.forClassWithGenerics(List.class, String.class)));

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return Binder.get(context.getEnvironment())
                    .bind("georep.ordered-maps.groups", LIST_OF_LISTS)
                    .map(groups -> !groups.isEmpty())
                    .orElse(false);
        }
    }
}
