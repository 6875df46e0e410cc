package io.georep.spring.boot.actuate;

import io.georep.GeoRepNode;
import io.georep.flagons.FleetMaps;
import io.georep.funnel.ReplicatedMaps;
import io.georep.geopaxos.OrderedMaps;
import io.georep.netty.MutualTls;
import io.georep.spring.Connectors;
import io.georep.spring.Outboxes;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** The health contributors {@code georep} and, if there are such, {@code georepMaps}, {@code georepOrderedMaps}, {@code georepFleet} and {@code georepConnectors}. */
@AutoConfiguration(
        afterName = {
            "io.georep.spring.boot.GeoRepAutoConfiguration",
            "io.georep.spring.boot.GeoRepConnectAutoConfiguration",
            "io.georep.spring.boot.GeoRepMapsAutoConfiguration",
            "io.georep.spring.boot.GeoRepOrderedMapsAutoConfiguration",
            "io.georep.spring.boot.GeoRepFleetAutoConfiguration"
        })
@ConditionalOnClass({GeoRepNode.class, HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean({GeoRepNode.class, Outboxes.class, ReadinessTarget.class})
@ConditionalOnEnabledHealthIndicator("georep")
final class GeoRepHealthAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean(name = "georepHealthIndicator")
    HealthIndicator georepHealthIndicator(
            GeoRepNode node, Outboxes outboxes, ReadinessTarget target, ObjectProvider<MutualTls> tls) {
        return new GeoRepHealthIndicator(node, outboxes, target, tls.getIfAvailable());
    }

    @Bean
    @ConditionalOnBean(ReplicatedMaps.class)
    @ConditionalOnMissingBean(name = "georepMapsHealthIndicator")
    HealthIndicator georepMapsHealthIndicator(GeoRepNode node, ReplicatedMaps maps) {
        return new MapsHealthIndicator(node, maps);
    }

    @Bean
    @ConditionalOnBean(OrderedMaps.class)
    @ConditionalOnMissingBean(name = "georepOrderedMapsHealthIndicator")
    HealthIndicator georepOrderedMapsHealthIndicator(GeoRepNode node) {
        return new OrderedMapsHealthIndicator(node);
    }

    @Bean
    @ConditionalOnBean(FleetMaps.class)
    @ConditionalOnMissingBean(name = "georepFleetHealthIndicator")
    HealthIndicator georepFleetHealthIndicator(GeoRepNode node) {
        return new FleetHealthIndicator(node);
    }

    @Bean
    @ConditionalOnBean(Connectors.class)
    @ConditionalOnMissingBean(name = "georepConnectorsHealthIndicator")
    HealthIndicator georepConnectorsHealthIndicator(Connectors connectors) {
        return new ConnectorHealthIndicator(connectors);
    }
}
