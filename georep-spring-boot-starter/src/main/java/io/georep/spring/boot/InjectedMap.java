package io.georep.spring.boot;

import io.georep.funnel.ReplicatedMap;
import io.georep.spring.MapName;
import io.georep.spring.Maps;
import io.georep.spring.MisuseException;
import org.springframework.beans.factory.InjectionPoint;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.DependencyDescriptor;
import org.springframework.core.ResolvableType;

/** Finds out which replicated map an injection point means. */
record InjectedMap(Maps maps, ConfigurableBeanFactory beans) {
    ReplicatedMap<?, ?> at(InjectionPoint point) {
        if (!(point instanceof DependencyDescriptor dependency)) {
            throw new MisuseException(
                    "a ReplicatedMap was asked for without saying which",
                    "Call Maps.map(name, keyType, valueType) instead of getBean(ReplicatedMap.class).");
        }
        InjectedPlace place = new InjectedPlace(dependency);
        ResolvableType type = place.type(ReplicatedMap.class);
        if (type == null) {
            throw new MisuseException(
                    place + " does not say what the map holds",
                    "Write the types of keys and values, for example ReplicatedMap<String, Route>.");
        }
        MapName annotation = place.annotation(MapName.class);
        String name = annotation == null ? null : beans.resolveEmbeddedValue(annotation.value());
        if (name == null || name.isBlank()) {
            String example = dependency.getDependencyName() == null ? "routes" : dependency.getDependencyName();
            throw new MisuseException(
                    place + " does not say which replicated map it means",
                    "Write @MapName(\"" + example + "\") in front of it.");
        }
        return maps.map(name, type.getGeneric(0), type.getGeneric(1));
    }
}
