package io.georep.spring.boot.actuate.console;

import io.georep.GeoRepNode;
import io.georep.spring.boot.actuate.NodeOperator;
import jakarta.servlet.http.HttpServlet;
import java.time.Instant;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;

/** The console beside the endpoints of Actuator: on the management port, if there is one. */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(
        value = {GeoRepNode.class, HttpServlet.class},
        name = "tools.jackson.databind.json.JsonMapper")
@ConditionalOnBean({NodeOperator.class, ClusterView.class})
@ConditionalOnProperty(name = "georep.console.enabled", havingValue = "true")
@ImportRuntimeHints(ConsoleHints.class)
final class GeoRepConsoleConfiguration {
    private static final String PATH = "/georep";

    @Bean
    Timeline georepConsoleTimeline(NodeOperator operator) {
        Timeline timeline = new Timeline();
        operator.onPeerChange(change -> timeline.peer(change, Instant.now()));
        return timeline;
    }

    /** As with the endpoint, it only shows unless more is allowed. */
    @Bean
    ConsoleOrders georepConsoleOrders(
            NodeOperator operator, Timeline timeline, ObjectProvider<EndpointAccessResolver> access) {
        return new ConsoleOrders(operator, timeline, access(access) == Access.UNRESTRICTED);
    }

    @Bean
    ConsoleFeed georepConsoleFeed(NodeOperator operator, ClusterView cluster, Timeline timeline, ConsoleOrders orders) {
        return new ConsoleFeed(new NodeView(operator, cluster, timeline, orders.allowed(), Instant.now()));
    }

    /**
     * There is none where the endpoint {@code georep} may not even be read. The web server makes its servlets before there is a
     * node, and must not start one.
     */
    @Bean
    ServletRegistrationBean<ConsoleServlet> georepConsole(
            ObjectProvider<ConsoleFeed> feed,
            ObjectProvider<ConsoleOrders> orders,
            ObjectProvider<NodeOperator> operator,
            ObjectProvider<EndpointAccessResolver> access) {
        ServletRegistrationBean<ConsoleServlet> console = new ServletRegistrationBean<>(
                new ConsoleServlet(feed::getObject, orders::getObject, operator::getObject), PATH, PATH + "/*");
        console.setName("georepConsole");
        console.setEnabled(access(access) != Access.NONE);
        return console;
    }

    private static Access access(ObjectProvider<EndpointAccessResolver> resolvers) {
        EndpointAccessResolver resolver = resolvers.getIfAvailable();
        return resolver == null ? Access.READ_ONLY : resolver.accessFor(EndpointId.of("georep"), Access.READ_ONLY);
    }
}
