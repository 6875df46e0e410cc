package io.georep.spring.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains a start without {@code georep-netty}, which the starter brings along, but a build may have excluded. */
final class NettyFailureAnalyzer extends AbstractFailureAnalyzer<NoClassDefFoundError> {
    static final String MODULE = "io.georep:georep-netty";
    static final String REMEDY = "Add " + MODULE
            + " to the dependencies of the application, in the version of the starter, or exclude it no longer.";

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoClassDefFoundError cause) {
        return String.valueOf(cause.getMessage()).startsWith("io/georep/netty/")
                ? new FailureAnalysis(
                        "The links between GeoRep nodes, " + MODULE + ", are not on the class path.", REMEDY, cause)
                : null;
    }
}
