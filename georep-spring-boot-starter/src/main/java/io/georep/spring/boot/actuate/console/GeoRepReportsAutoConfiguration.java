package io.georep.spring.boot.actuate.console;

import io.georep.GeoRepNode;
import io.georep.spring.boot.actuate.NodeOperator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;

/** Lets the node be seen on the pages of others, also where it has no web server and so no page of its own. */
@AutoConfiguration(afterName = "io.georep.spring.boot.actuate.GeoRepEndpointAutoConfiguration")
@ConditionalOnClass(value = GeoRepNode.class, name = "tools.jackson.databind.json.JsonMapper")
@ConditionalOnBean(NodeOperator.class)
@ConditionalOnProperty(name = "georep.console.enabled", havingValue = "true")
@ImportRuntimeHints(ConsoleHints.class)
final class GeoRepReportsAutoConfiguration {
    /** Not made when somebody asks for it: nobody does where there is no page. */
    @Bean
    @Lazy(false)
    ClusterView georepClusterView(GeoRepNode node, NodeOperator operator) {
        return new ClusterView(node, operator);
    }
}
