package io.georep.spring.boot;

import io.georep.funnel.ReplicatedMap;
import io.georep.spring.MapName;
import io.georep.spring.Maps;
import org.springframework.beans.factory.InjectionPoint;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.DependencyDescriptor;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Finds out which replicated map an injection point means. */
final class InjectedMap {
    private final Maps maps;
    private final ConfigurableBeanFactory beans;

    InjectedMap(Maps maps, ConfigurableBeanFactory beans) {
        this.maps = maps;
        this.beans = beans;
    }

    ReplicatedMap<?, ?> at(InjectionPoint point) {
        if (!(point instanceof DependencyDescriptor dependency)) {
            throw new OutboxInjectionException(
                    "a ReplicatedMap was asked for without saying which",
                    "Call Maps.map(name, keyType, valueType) instead of getBean(ReplicatedMap.class).");
        }
        ResolvableType type = dependency.getResolvableType();
        while (type.resolve() != null && type.resolve() != ReplicatedMap.class && type.hasGenerics()) {
            type = type.getGeneric(0); // the point may be a provider of the map
        }
        boolean typed = type.resolve() == ReplicatedMap.class
                && type.getGeneric(0).resolve() != null
                && type.getGeneric(1).resolve() != null
                && !type.hasUnresolvableGenerics();
        if (!typed) {
            throw new OutboxInjectionException(
                    describe(dependency) + " does not say what the map holds",
                    "Write the types of keys and values, for example ReplicatedMap<String, Route>.");
        }
        return maps.map(name(dependency), type.getGeneric(0), type.getGeneric(1));
    }

    private String name(DependencyDescriptor dependency) {
        MapName annotation = dependency.getAnnotation(MapName.class);
        if (annotation == null && dependency.getMethodParameter() != null) {
            annotation = AnnotatedElementUtils.findMergedAnnotation(
                    dependency.getMethodParameter().getExecutable(), MapName.class);
        }
        String name = annotation == null ? null : beans.resolveEmbeddedValue(annotation.value());
        if (name == null || name.isBlank()) {
            String example = dependency.getDependencyName() == null ? "routes" : dependency.getDependencyName();
            throw new OutboxInjectionException(
                    describe(dependency) + " does not say which replicated map it means",
                    "Write @MapName(\"" + example + "\") in front of it.");
        }
        return name;
    }

    private static String describe(DependencyDescriptor dependency) {
        return dependency + " of " + dependency.getMember().getDeclaringClass().getName();
    }
}
