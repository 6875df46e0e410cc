package io.georep.spring.boot.actuate;

import io.georep.GeoRepNode;
import io.georep.outbox.SendInterceptor;
import io.georep.spring.listener.HandlerAdvice;
import io.georep.spring.observation.ForwardConvention;
import io.georep.spring.observation.ObservedHandlers;
import io.georep.spring.observation.ObservedSends;
import io.georep.spring.observation.SendConvention;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;

/** Observations of sends and forwards. */
@AutoConfiguration(
        afterName = {
            "io.georep.spring.boot.GeoRepAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
        })
@ConditionalOnClass({GeoRepNode.class, ObservationRegistry.class})
@ConditionalOnBean({GeoRepNode.class, ObservationRegistry.class})
final class GeoRepObservationAutoConfiguration {
    /** Inside deduplication, which may send nothing; outside transactions, which send later. */
    @Bean
    @Order(100)
    SendInterceptor georepObservedSends(ObservationRegistry registry, ObjectProvider<SendConvention> convention) {
        return new ObservedSends(registry, convention.getIfAvailable());
    }

    @Bean
    HandlerAdvice georepObservedHandlers(ObservationRegistry registry, ObjectProvider<ForwardConvention> convention) {
        return new ObservedHandlers(registry, convention.getIfAvailable());
    }
}
