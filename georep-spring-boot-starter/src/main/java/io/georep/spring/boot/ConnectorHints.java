package io.georep.spring.boot;

import io.georep.spring.connect.PluginClasses;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.env.Environment;

/**
 * Makes the connectors in the settings of the build usable in a native image, with their tasks, converters and
 * transformations. What these do by reflection, they have to declare themselves.
 */
final class ConnectorHints implements BeanRegistrationAotProcessor {
    private static final String HOST = "io.georep.spring.connect.ConnectHost";

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        if (!bean.getBeanClass().getName().equals(HOST)) {
            return null;
        }
        Map<String, Map<String, String>> settings =
                ConnectorProperties.of(bean.getBeanFactory().getBean(Environment.class));
        ClassLoader loader = bean.getBeanFactory().getBeanClassLoader();
        return (generation, code) -> register(generation.getRuntimeHints(), settings, loader);
    }

    private static void register(
            RuntimeHints hints, Map<String, Map<String, String>> settings, @Nullable ClassLoader loader) {
        hints.resources().registerPattern("META-INF/services/org.apache.kafka.connect.*");
        hints.resources().registerPattern("kafka/kafka-version.properties");
        for (Class<?> plugin :
                PluginClasses.of(settings, loader == null ? ConnectorHints.class.getClassLoader() : loader)) {
            hints.reflection().registerType(plugin, MemberCategory.INVOKE_DECLARED_CONSTRUCTORS);
        }
    }
}
