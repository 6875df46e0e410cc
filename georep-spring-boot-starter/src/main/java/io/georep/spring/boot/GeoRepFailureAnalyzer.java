package io.georep.spring.boot;

import io.georep.model.ConfigurationException;
import io.georep.model.GeoRepException;
import io.georep.model.StoreException;
import io.georep.model.TransportException;
import io.georep.spring.MisuseException;
import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says in the application's own terms why it did not start, and what to write instead. */
final class GeoRepFailureAnalyzer extends AbstractFailureAnalyzer<GeoRepException> {
    private static final Pattern UNKNOWN_KEY = Pattern.compile("^property georep\\S+ .*is not known");
    private static final Pattern KEY = Pattern.compile("\\bgeorep(\\.[a-zA-Z0-9-]+)+");

    private static final String MASTER = "georep.maps.master.";

    /** Words of the core's messages, and the properties they come from. */
    private static final Map<String, String> WORDS = words();

    /** Names of settings in the core's messages, and the properties they come from. */
    private static final Map<String, String> NAMES = names();

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, GeoRepException cause) {
        String problem = String.valueOf(cause.getMessage());
        if (cause instanceof MisuseException misuse) {
            return new FailureAnalysis(problem, misuse.remedy(), cause);
        }
        if (cause instanceof ConfigurationException configuration) {
            return settings(configuration);
        }
        if (cause instanceof StoreException store && store.kind() == StoreException.Kind.KEY_MISSING) {
            return new FailureAnalysis(
                    "The store of the GeoRep node could not be opened: " + problem,
                    "Put the key that the message names back into the file of georep.store.encryption.key-file, behind the"
                            + " first line. What is stored stays as it is until then.",
                    cause);
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

    private static FailureAnalysis settings(ConfigurationException cause) {
        Set<String> mentioned = new LinkedHashSet<>();
        boolean unknownKeys = false;
        for (String fault : cause.faults()) {
            if (UNKNOWN_KEY.matcher(fault).find()) {
                unknownKeys = true;
            } else {
                mentioned.addAll(mentionedIn(fault));
            }
        }
        StringBuilder action = new StringBuilder();
        if (!mentioned.isEmpty()) {
            action.append("Set ").append(String.join(", ", mentioned)).append(" as the message says.");
        }
        if (unknownKeys) {
            action.append(action.isEmpty() ? "" : " ")
                    .append("Correct or remove the keys that are not known; georep.strict=false only warns of them.");
        }
        if (cause.faults().stream().anyMatch(fault -> fault.contains(NettyFailureAnalyzer.MODULE))) {
            action.append(action.isEmpty() ? "" : " ").append(NettyFailureAnalyzer.REMEDY);
        }
        if (action.isEmpty()) {
            action.append(
                    "Change the setting the message names: a property under georep, an attribute of an annotation, or a"
                            + " NodeBuilderCustomizer.");
        }
        String problem = cause.faults().size() == 1
                ? "GeoRep is not configured correctly: " + cause.getMessage()
                : "GeoRep is not configured correctly:\n  - " + String.join("\n  - ", cause.faults());
        return new FailureAnalysis(problem, action.toString(), cause);
    }

    /** Names of settings may stand anywhere in a message. A common word counts only where it means the setting. */
    private static Set<String> mentionedIn(String fault) {
        Set<String> mentioned = new LinkedHashSet<>();
        Matcher key = KEY.matcher(fault);
        while (key.find()) {
            mentioned.add(key.group());
        }
        NAMES.forEach((name, property) -> {
            if (Pattern.compile("\\b" + name + "\\b").matcher(fault).find()) {
                mentioned.add(property);
            }
        });
        WORDS.forEach((word, property) -> {
            if (Pattern.compile("^(" + word + ")\\b|\\b(" + word + ")\\(")
                    .matcher(fault)
                    .find()) {
                mentioned.add(property);
            }
        });
        return mentioned;
    }

    private static Map<String, String> words() {
        Map<String, String> words = new LinkedHashMap<>();
        words.put("node id", "georep.node-id");
        words.put("site", "georep.site");
        words.put("cluster", "georep.cluster");
        words.put("listen port|listen", "georep.port");
        words.put("listen host", "georep.host");
        words.put("advertise", "georep.advertise");
        words.put("seeds?", "georep.seeds");
        words.put("durability", "georep.durability");
        words.put("f", "georep.f or georep.outboxes.<queue>.f");
        return words;
    }

    private static Map<String, String> names() {
        Map<String, String> names = new LinkedHashMap<>();
        for (String name : List.of("nodeId", "dataDir", "expectedAway", "closeTimeout", "startTimeout")) {
            names.put(name, "georep." + hyphenated(name));
        }
        names.put("shared secret", "georep.security.secret or georep.security.secret-file");
        names.put("(?:dnsNames|rules? for DNS names)", "georep.ssl.dns-names");
        names.put("(?:limitedDnsNames|for limited certificates)", "georep.ssl.limited-dns-names");
        names.put("encryption is set", "georep.store.encryption.key-file");
        names.put("listen on 127\\.0\\.0\\.1", "georep.host");
        names.put("keepers of the views", MASTER + "keepers");
        names.put("views of the replicated maps have \\d+ keepers", MASTER + "keepers");
        names.put("master that they share", MASTER + "keepers");
        names.put("founders of the replicated maps", MASTER + "founders");
        names.put("keeper of views, and its durability", "georep.durability");
        names.put("set TLS for it", "georep.ssl.bundle");
        for (RecordComponent setting : GeoRepProperties.Protocol.class.getRecordComponents()) {
            names.put(setting.getName(), "georep.protocol." + hyphenated(setting.getName()));
        }
        return names;
    }

    private static String hyphenated(String name) {
        return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }
}
