package io.georep.spring.boot.actuate;

import io.georep.GeoRepNode;
import io.georep.flagons.FleetMaps;
import io.georep.funnel.ReplicatedMaps;
import io.georep.geopaxos.OrderedMaps;
import io.georep.spring.Connectors;
import io.georep.spring.OutboxListeners;
import io.georep.spring.Outboxes;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * The actuator endpoint {@code georep}, and what it shares with the console. Operations that answer one of several types do not
 * tell a native image which.
 */
@AutoConfiguration(
        afterName = {
            "io.georep.spring.boot.GeoRepAutoConfiguration",
            "io.georep.spring.boot.GeoRepMapsAutoConfiguration",
            "io.georep.spring.boot.GeoRepOrderedMapsAutoConfiguration",
            "io.georep.spring.boot.GeoRepFleetAutoConfiguration"
        })
@ConditionalOnClass({GeoRepNode.class, Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean({GeoRepNode.class, Outboxes.class, OutboxListeners.class})
@RegisterReflectionForBinding({
    EndpointReport.Undecided.class,
    EndpointReport.LetterPage.class,
    EndpointReport.Maps.class,
    EndpointReport.OrderedMapsReport.class,
    EndpointReport.FleetReport.class,
    Connectors.Status.class
})
final class GeoRepEndpointAutoConfiguration {
    @Bean
    AdoptionLog georepAdoptionLog() {
        return new AdoptionLog();
    }

    @Bean
    @ConditionalOnMissingBean(NodeOperator.class)
    NodeOperator georepNodeOperator(
            GeoRepNode node,
            Outboxes outboxes,
            OutboxListeners listeners,
            AdoptionLog adoptions,
            ObjectProvider<Connectors> connectors,
            ObjectProvider<ReplicatedMaps> maps,
            ObjectProvider<OrderedMaps> orderedMaps,
            ObjectProvider<FleetMaps> fleet) {
        return new NodeOperator(
                node,
                outboxes,
                listeners,
                adoptions,
                connectors.getIfAvailable(),
                maps.getIfAvailable(),
                orderedMaps.getIfAvailable(),
                fleet.getIfAvailable());
    }

    @Bean
    @ConditionalOnAvailableEndpoint
    @ConditionalOnMissingBean(GeoRepEndpoint.class)
    GeoRepEndpoint georepEndpoint(NodeOperator operator) {
        return new GeoRepEndpoint(operator);
    }

    @Bean
    @ConditionalOnBean(GeoRepEndpoint.class)
    @ConditionalOnMissingBean(GeoRepWebExtension.class)
    @ConditionalOnAvailableEndpoint(endpoint = GeoRepEndpoint.class, exposure = EndpointExposure.WEB)
    GeoRepWebExtension georepWebExtension(GeoRepEndpoint endpoint) {
        return new GeoRepWebExtension(endpoint);
    }
}
