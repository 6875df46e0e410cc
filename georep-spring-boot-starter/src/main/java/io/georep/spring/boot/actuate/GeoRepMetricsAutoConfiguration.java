package io.georep.spring.boot.actuate;

import io.georep.GeoRepNode;
import io.georep.spring.Connectors;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** The meters. */
@AutoConfiguration(
        afterName = {
            "io.georep.spring.boot.GeoRepAutoConfiguration",
            "io.georep.spring.boot.GeoRepConnectAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration"
        })
@ConditionalOnClass({GeoRepNode.class, MeterRegistry.class})
@ConditionalOnBean({GeoRepNode.class, MeterRegistry.class})
final class GeoRepMetricsAutoConfiguration {
    @Bean
    GeoRepMeters georepMeters(ObjectProvider<GeoRepNode> node) {
        return new GeoRepMeters(node::getObject);
    }

    @Bean
    @ConditionalOnBean(Connectors.class)
    ConnectorMeters georepConnectorMeters(Connectors connectors) {
        return new ConnectorMeters(connectors);
    }
}
