package io.georep.spring.boot;

import io.georep.model.ConfigurationException;
import io.georep.outbox.Outbox;
import io.georep.spring.OutboxName;
import io.georep.spring.Outboxes;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.InjectionPoint;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.DependencyDescriptor;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Finds out which outbox an injection point means. */
final class InjectedOutbox {
    private final Outboxes outboxes;
    private final Set<String> configured;
    private final ConfigurableBeanFactory beans;

    InjectedOutbox(Outboxes outboxes, Map<String, GeoRepProperties.Queue> configured, ConfigurableBeanFactory beans) {
        this.outboxes = outboxes;
        this.configured = configured.keySet();
        this.beans = beans;
    }

    Outbox<?> at(InjectionPoint point) {
        if (!(point instanceof DependencyDescriptor dependency)) {
            throw new ConfigurationException("an Outbox was asked for without saying which: call"
                    + " Outboxes.outbox(name, type) instead of getBean(Outbox.class)");
        }
        ResolvableType payload = payload(dependency);
        String name = name(dependency);
        return outboxes.outbox(name, payload);
    }

    /** The injection point may be the outbox itself or a provider of it. */
    private static ResolvableType payload(DependencyDescriptor dependency) {
        ResolvableType type = dependency.getResolvableType();
        while (type.resolve() != null && type.resolve() != Outbox.class && type.hasGenerics()) {
            type = type.getGeneric(0);
        }
        ResolvableType payload = type.getGeneric(0);
        if (type.resolve() != Outbox.class || payload.resolve() == null || payload.hasUnresolvableGenerics()) {
            throw new OutboxInjectionException(
                    describe(dependency) + " does not say what the outbox carries",
                    "Write the type of the payload, for example Outbox<Sms>.");
        }
        return payload;
    }

    private String name(DependencyDescriptor dependency) {
        OutboxName annotation = dependency.getAnnotation(OutboxName.class);
        if (annotation == null && dependency.getMethodParameter() != null) {
            annotation = AnnotatedElementUtils.findMergedAnnotation(
                    dependency.getMethodParameter().getExecutable(), OutboxName.class);
        }
        if (annotation != null) {
            String name = beans.resolveEmbeddedValue(annotation.value());
            if (name == null || name.isBlank()) {
                throw new OutboxInjectionException(
                        "@OutboxName(\"" + annotation.value() + "\") at " + describe(dependency) + " names no queue",
                        "Write the name of the queue, for example @OutboxName(\"sms\").");
            }
            return name;
        }
        String name = dependency.getDependencyName();
        if (name != null && configured.contains(name)) {
            return name;
        }
        throw new OutboxInjectionException(
                describe(dependency) + " does not say which queue it means"
                        + (name == null ? "" : ", and georep.outboxes has no settings for '" + name + "'"),
                "Write @OutboxName(\"" + suggestion(name) + "\") in front of it"
                        + (configured.isEmpty()
                                ? "."
                                : ", or name it like one of the queues under georep.outboxes: " + configured + "."));
    }

    private static String suggestion(@Nullable String name) {
        return name == null ? "sms" : name;
    }

    private static String describe(DependencyDescriptor dependency) {
        return dependency + " of " + dependency.getMember().getDeclaringClass().getName();
    }
}
