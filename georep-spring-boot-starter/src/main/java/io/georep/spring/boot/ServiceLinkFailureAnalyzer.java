package io.georep.spring.boot;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Explains a port that nobody has set. Beside a service called georep, Kubernetes gives every container a variable
 * {@code GEOREP_PORT}, which Boot reads as {@code georep.port}. This comes before Boot's own analyzer, which only says
 * that the value is no number. The start fails, and the variable is not ignored, because it hides a port that was set
 * elsewhere.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class ServiceLinkFailureAnalyzer extends AbstractFailureAnalyzer<BindException> {
    private static final ConfigurationPropertyName PORT = ConfigurationPropertyName.of("georep.port");
    private static final Pattern LINK = Pattern.compile("(tcp|udp|sctp)://.+");

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
        ConfigurationProperty property = cause.getProperty();
        if (property == null
                || !PORT.equals(property.getName())
                || !LINK.matcher(String.valueOf(property.getValue())).matches()) {
            return null;
        }
        return new FailureAnalysis(
                "georep.port is '" + property.getValue() + "' (" + property.getOrigin()
                        + "), which is no port. Kubernetes sets a variable GEOREP_PORT to such a value in every pod beside a"
                        + " service named 'georep', and Spring Boot reads that variable as the property georep.port.",
                "Set 'enableServiceLinks: false' in the specification of the pod, so that Kubernetes sets no such variables, or"
                        + " give the service another name.",
                cause);
    }
}
