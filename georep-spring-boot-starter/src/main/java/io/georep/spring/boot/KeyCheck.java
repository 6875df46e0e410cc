package io.georep.spring.boot;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Finds properties under {@code georep} that nothing reads. Binding ignores them without a message. */
final class KeyCheck {
    private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("georep");

    /** The variables with which Kubernetes describes a service called georep, in every container beside it. */
    private static final Pattern SERVICE_LINK = Pattern.compile("georep\\.(service\\.|port[.\\[][0-9]).*");

    private static final Logger LOG = LoggerFactory.getLogger(KeyCheck.class);

    private final ConfigurableEnvironment environment;
    private final ListableBeanFactory beans;
    private final KnownKeys known = new KnownKeys(PREFIX.toString(), GeoRepProperties.class);

    KeyCheck(ConfigurableEnvironment environment, ListableBeanFactory beans) {
        this.environment = environment;
        this.beans = beans;
    }

    /** Returns what keeps a strict application from starting. For others it is a warning. */
    List<String> faults(boolean strict) {
        List<String> unknown = unknown();
        if (!strict) {
            unknown.forEach(sentence -> LOG.warn("{} With georep.strict=true this fails the start", sentence));
        }
        return strict ? unknown : List.of();
    }

    /** Returns one sentence for each unknown key, with the place it comes from. */
    List<String> unknown() {
        Set<ConfigurationPropertyName> others = prefixesOfOthers();
        Map<ConfigurationPropertyName, String> found = new TreeMap<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.from(environment.getPropertySources())) {
            if (source instanceof IterableConfigurationPropertySource iterable) {
                boolean variables = source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
                iterable.stream()
                        .filter(PREFIX::isAncestorOf)
                        .filter(name ->
                                others.stream().noneMatch(other -> other.equals(name) || other.isAncestorOf(name)))
                        .filter(name -> variables
                                ? !known.hasVariable(name)
                                        && !SERVICE_LINK
                                                .matcher(name.toString())
                                                .matches()
                                : !known.has(name))
                        .forEach(name -> found.putIfAbsent(name, sentence(name, source)));
            }
        }
        return new ArrayList<>(found.values());
    }

    private String sentence(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        Origin origin = Origin.from(source.getConfigurationProperty(name));
        String nearest = known.nearest(name);
        return "property " + name + (origin == null ? "" : " (" + origin + ")") + " is not known"
                + (nearest == null ? "." : ": did you mean " + nearest + "?");
    }

    /** An application, or a module beside this one, may have keys of its own below the same word. */
    private Set<ConfigurationPropertyName> prefixesOfOthers() {
        Set<ConfigurationPropertyName> prefixes = new TreeSet<>();
        for (String bean : beans.getBeanDefinitionNames()) {
            ConfigurationProperties annotation = beans.findAnnotationOnBean(bean, ConfigurationProperties.class, false);
            if (annotation != null) {
                String prefix = annotation.prefix();
                if (ConfigurationPropertyName.isValid(prefix)
                        && PREFIX.isAncestorOf(ConfigurationPropertyName.of(prefix))) {
                    prefixes.add(ConfigurationPropertyName.of(prefix));
                }
            }
        }
        return prefixes;
    }
}
