package io.georep.spring.boot.actuate;

import io.georep.GeoRepNode;
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
}
