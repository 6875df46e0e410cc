package io.georep.spring.boot.actuate;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/** The operations of this library alone, read the way an application reads them: without loading the classes. */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({
    GeoRepEndpointAutoConfiguration.class,
    GeoRepHealthAutoConfiguration.class,
    GeoRepMetricsAutoConfiguration.class,
    GeoRepObservationAutoConfiguration.class
})
public class OwnOperations {}
