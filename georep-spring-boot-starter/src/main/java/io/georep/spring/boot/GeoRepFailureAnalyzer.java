package io.georep.spring.boot;

import io.georep.model.ConfigurationException;
import io.georep.model.GeoRepException;
import io.georep.model.StoreException;
import io.georep.model.TransportException;
import io.georep.spring.Remedy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says in the application's own terms why it did not start, and what to write instead. */
final class GeoRepFailureAnalyzer extends AbstractFailureAnalyzer<GeoRepException> {
    /** Words of the core's messages, and the properties they come from. */
    private static final Map<String, String> PROPERTIES = properties();

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, GeoRepException cause) {
        String problem = String.valueOf(cause.getMessage());
        if (cause instanceof Remedy remedy) {
            return new FailureAnalysis(problem, remedy.remedy(), cause);
        }
        if (cause instanceof ConfigurationException) {
            return new FailureAnalysis("GeoRep is not configured correctly: " + problem, settings(problem), cause);
        }
        if (cause instanceof StoreException) {
            return new FailureAnalysis(
                    "The store of the GeoRep node could not be opened: " + problem,
                    "Check georep.data-dir: it must be a directory of this node alone that the process may write to. The"
                            + " message above says what is wrong with it.",
                    cause);
        }
        if (cause instanceof TransportException) {
            return new FailureAnalysis(
                    "The GeoRep node could not listen: " + problem,
                    "Choose another georep.host or georep.port (0 takes any free port), or stop the process that uses it.",
                    cause);
        }
        return null;
    }

    private static String settings(String problem) {
        List<String> mentioned = new ArrayList<>();
        PROPERTIES.forEach((word, property) -> {
            if (Pattern.compile("\\b" + word + "\\b").matcher(problem).find()) {
                mentioned.add(property);
            }
        });
        return mentioned.isEmpty()
                ? "Change the setting the message names: a property under georep, an attribute of an annotation, or a"
                        + " NodeBuilderCustomizer."
                : "Set " + String.join(", ", mentioned) + " as the message says.";
    }

    private static Map<String, String> properties() {
        Map<String, String> names = new LinkedHashMap<>();
        names.put("nodeId", "georep.node-id");
        names.put("node id", "georep.node-id");
        names.put("site", "georep.site");
        names.put("cluster", "georep.cluster");
        names.put("port|listen", "georep.port");
        names.put("host", "georep.host");
        names.put("advertise", "georep.advertise");
        names.put("seeds?", "georep.seeds");
        names.put("f is|f =", "georep.f or georep.outboxes.<queue>.f");
        names.put("dataDir", "georep.data-dir");
        names.put("expectedAway", "georep.expected-away");
        names.put("closeTimeout", "georep.close-timeout");
        names.put("startTimeout", "georep.start-timeout");
        for (String word : List.of(
                "heartbeat",
                "heartbeatAway",
                "suspectAfter",
                "terminateAfter",
                "putTimeout",
                "tombstoneLife",
                "minRtt",
                "reReplicateAfter",
                "linger",
                "groupBytesMax",
                "payloadBytesMax",
                "pendingPutsMax",
                "pendingBytesMax",
                "cacheBytesMax",
                "storeStallAfter",
                "storeFailAfter",
                "storeBacklogBytesMax")) {
            names.put(
                    word, "georep.protocol." + word.replaceAll("([A-Z])", "-$1").toLowerCase(java.util.Locale.ROOT));
        }
        return names;
    }
}
