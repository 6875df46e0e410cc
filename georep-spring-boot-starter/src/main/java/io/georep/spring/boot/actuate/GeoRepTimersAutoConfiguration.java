package io.georep.spring.boot.actuate;

import io.georep.GeoRepNode;
import io.georep.spring.observation.EntryTimers;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.observation.MeterObservationHandler;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Timers of sends and calls of listeners. Of the handlers that keep meters, Spring Boot asks the first that supports an observation. This
 * one comes before Micrometer's, unless the application has brought one of its own.
 */
@AutoConfiguration(
        afterName = {
            "io.georep.spring.boot.GeoRepAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration"
        })
@ConditionalOnClass({GeoRepNode.class, DefaultMeterObservationHandler.class, MetricsProperties.class})
@ConditionalOnBean({GeoRepNode.class, MeterRegistry.class, DefaultMeterObservationHandler.class, MetricsProperties.class
})
@ConditionalOnSingleCandidate(MeterObservationHandler.class)
final class GeoRepTimersAutoConfiguration {
    @Bean
    @Order(Ordered.LOWEST_PRECEDENCE - 1)
    EntryTimers georepEntryTimers(ObjectProvider<MeterRegistry> registry, MetricsProperties properties) {
        return new EntryTimers(
                registry.getObject(), properties.getObservations().getIgnoredMeters());
    }
}
