package io.georep.spring.boot;

import io.georep.model.ConfigurationException;
import io.georep.outbox.Outbox;
import io.georep.spring.MisuseException;
import io.georep.spring.OutboxName;
import io.georep.spring.Outboxes;
import java.util.Set;
import org.springframework.beans.factory.InjectionPoint;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.DependencyDescriptor;
import org.springframework.core.ResolvableType;

/** Finds out which outbox an injection point means. */
record InjectedOutbox(Outboxes outboxes, Set<String> configured, ConfigurableBeanFactory beans) {
    Outbox<?> at(InjectionPoint point) {
        if (!(point instanceof DependencyDescriptor dependency)) {
            throw new ConfigurationException("an Outbox was asked for without saying which: call"
                    + " Outboxes.outbox(name, type) instead of getBean(Outbox.class)");
        }
        InjectedPlace place = new InjectedPlace(dependency);
        ResolvableType type = place.type(Outbox.class);
        if (type == null) {
            throw new MisuseException(
                    place + " does not say what the outbox carries",
                    "Write the type of the payload, for example Outbox<Sms>.");
        }
        return outboxes.outbox(name(place), type.getGeneric(0));
    }

    private String name(InjectedPlace place) {
        OutboxName annotation = place.annotation(OutboxName.class);
        if (annotation != null) {
            String name = beans.resolveEmbeddedValue(annotation.value());
            if (name == null || name.isBlank()) {
                throw new MisuseException(
                        "@OutboxName(\"" + annotation.value() + "\") at " + place + " names no queue",
                        "Write the name of the queue, for example @OutboxName(\"sms\").");
            }
            return name;
        }
        String name = place.dependency().getDependencyName();
        if (name != null && configured.contains(name)) {
            return name;
        }
        throw new MisuseException(
                place + " does not say which queue it means"
                        + (name == null ? "" : ", and georep.outboxes has no settings for '" + name + "'"),
                "Write @OutboxName(\"" + (name == null ? "sms" : name) + "\") in front of it"
                        + (configured.isEmpty()
                                ? "."
                                : ", or name it like one of the queues under georep.outboxes: " + configured + "."));
    }
}
