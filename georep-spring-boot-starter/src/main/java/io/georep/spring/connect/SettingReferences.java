package io.georep.spring.connect;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.provider.ConfigProvider;
import org.apache.kafka.common.config.provider.DirectoryConfigProvider;
import org.apache.kafka.common.config.provider.EnvVarConfigProvider;
import org.apache.kafka.common.config.provider.FileConfigProvider;
import org.jspecify.annotations.Nullable;

/**
 * Replaces references in the settings of a connector by what they stand for:
 *
 * <ul>
 *   <li>{@code ${env:NAME}}, {@code ${file:path:key}} and {@code ${directory:path:file}} as Kafka Connect's config providers do;
 *   <li>{@code ${spring:name}}, and {@code ${NAME}} or {@code ${NAME:default}} in capitals, as properties of the application;
 *   <li>any other {@code ${name}} without a colon is the connector's own and stays, whatever the environment holds.
 * </ul>
 *
 * What stands for nothing is a mistake, and never another text. For one thread.
 */
final class SettingReferences {
    private static final Pattern REFERENCE = Pattern.compile("\\$\\{([^{}]*)}");
    private static final Pattern OF_THE_APPLICATION = Pattern.compile("[A-Z][A-Z0-9_]*(:.*)?", Pattern.DOTALL);
    private static final String SPRING = "spring";

    private final Map<String, ConfigProvider> providers = new TreeMap<>();
    private final UnaryOperator<@Nullable String> property;

    /** {@code property} returns the property of the application with this name; null if there is none. */
    SettingReferences(UnaryOperator<@Nullable String> property) {
        this.property = property;
        providers.put("env", new EnvVarConfigProvider());
        providers.put("file", new FileConfigProvider());
        providers.put("directory", new DirectoryConfigProvider());
        providers.values().forEach(provider -> provider.configure(Map.of()));
    }

    /** Returns the settings without references. Adds a sentence to {@code faults} for each that stands for nothing. */
    Map<String, String> resolve(String connector, Map<String, String> settings, List<String> faults) {
        Map<String, String> resolved = new HashMap<>();
        new TreeMap<>(settings).forEach((key, value) -> {
            try {
                resolved.put(key, value == null ? "" : resolve(value));
            } catch (UnresolvedException e) {
                resolved.put(key, value);
                faults.add("georep.connectors." + connector + "." + key + " has " + e.getMessage());
            }
        });
        return resolved;
    }

    private String resolve(String value) throws UnresolvedException {
        StringBuilder text = new StringBuilder();
        Matcher reference = REFERENCE.matcher(value);
        int done = 0;
        while (reference.find()) {
            if (value.lastIndexOf("${", reference.start() - 1) >= done) {
                throw new UnresolvedException("a reference inside of another one, which is not supported");
            }
            text.append(value, done, reference.start()).append(resolved(reference.group(), reference.group(1)));
            done = reference.end();
        }
        return text.append(value, done, value.length()).toString();
    }

    private String resolved(String reference, String body) throws UnresolvedException {
        int colon = body.indexOf(':');
        if (OF_THE_APPLICATION.matcher(body).matches()) {
            String found = property.apply(colon < 0 ? body : body.substring(0, colon));
            if (found == null && colon < 0) {
                throw new UnresolvedException(
                        reference + ", but neither the environment nor a property of the application has that name");
            }
            return found == null ? body.substring(colon + 1) : found;
        }
        if (colon < 0) {
            return reference;
        }
        String name = body.substring(0, colon);
        String rest = body.substring(colon + 1);
        if (name.equals(SPRING)) {
            String found = property.apply(rest);
            if (found == null) {
                throw new UnresolvedException(reference + ", but the application has no property " + rest);
            }
            return found;
        }
        ConfigProvider provider = providers.get(name);
        if (provider == null) {
            throw new UnresolvedException(reference + ", but there is no config provider " + name + ": there are "
                    + providers.keySet() + ", and " + SPRING + " for properties of the application");
        }
        return provided(provider, reference, rest);
    }

    private static String provided(ConfigProvider provider, String reference, String rest) throws UnresolvedException {
        int colon = rest.lastIndexOf(':');
        String path = colon < 0 ? "" : rest.substring(0, colon);
        String key = rest.substring(colon + 1);
        String found;
        try {
            found = provider.get(path, Set.of(key)).data().get(key);
        } catch (RuntimeException e) {
            throw new UnresolvedException(reference + ", which cannot be read: " + e.getMessage());
        }
        if (found == null) {
            throw new UnresolvedException(
                    reference + ", but there is no " + key + (path.isEmpty() ? "" : " in " + path));
        }
        return found;
    }

    /** A reference stands for nothing. */
    private static final class UnresolvedException extends Exception {
        private static final long serialVersionUID = 1L;

        UnresolvedException(String message) {
            super(message);
        }
    }
}
