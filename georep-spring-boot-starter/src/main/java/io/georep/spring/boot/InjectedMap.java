package io.georep.spring.boot;

import io.georep.geopaxos.MapSchema;
import io.georep.spi.PayloadCodec;
import io.georep.spring.MapName;
import io.georep.spring.MisuseException;
import io.georep.spring.outbox.PayloadCodecs;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.beans.factory.InjectionPoint;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.DependencyDescriptor;
import org.springframework.core.ResolvableType;

/** Which map an injection point means. */
record InjectedMap(String name, ResolvableType keys, ResolvableType values) {
    /**
     * Finds it out.
     *
     * @param kind class of such maps
     * @param instead what to call if there is none
     */
    static InjectedMap at(InjectionPoint point, Class<?> kind, String instead, ConfigurableBeanFactory beans) {
        String simple = kind.getSimpleName();
        if (!(point instanceof DependencyDescriptor dependency)) {
            throw new MisuseException(
                    "a bean of type " + simple + " was asked for without saying which map",
                    "Call " + instead + " instead of getBean(" + simple + ".class).");
        }
        InjectedPlace place = new InjectedPlace(dependency);
        ResolvableType type = place.type(kind);
        if (type == null) {
            throw new MisuseException(
                    place + " does not say what the map holds",
                    "Write the types of keys and values, for example " + simple + "<String, Route>.");
        }
        MapName annotation = place.annotation(MapName.class);
        String name = annotation == null ? null : beans.resolveEmbeddedValue(annotation.value());
        if (name == null || name.isBlank()) {
            String example = dependency.getDependencyName() == null ? "routes" : dependency.getDependencyName();
            throw new MisuseException(
                    place + " does not say which map it means", "Write @MapName(\"" + example + "\") in front of it.");
        }
        return new InjectedMap(name, type.getGeneric(0), type.getGeneric(1));
    }

    /** Returns how keys are written: texts in UTF-8 whatever codecs there are, and others like payloads. */
    PayloadCodec<?> keyCodec(String user, PayloadCodecs codecs) {
        return keys.resolve() == String.class ? PayloadCodec.string() : codecs.codec(user, keys);
    }

    /** Returns the bean that describes it; without one, texts are the keys, because codecs decide the order of others. */
    MapSchema<?, ?> schema(Stream<MapSchema<?, ?>> beans, PayloadCodecs codecs) {
        List<MapSchema<?, ?>> named =
                beans.filter(each -> each.name().equals(name)).toList();
        String user = "ordered map '" + name + "'";
        if (named.size() > 1) {
            throw new MisuseException(
                    named.size() + " beans of type MapSchema describe " + user,
                    "Keep one of them, or give the other one another name.");
        } else if (named.size() == 1) {
            return named.get(0);
        } else if (keys.resolve() != String.class) {
            throw new MisuseException(
                    user + " has keys of type " + keys + ", and nothing says how they are sorted",
                    "Declare a bean of type MapSchema with the name '" + name
                            + "': its codec writes keys as bytes, and they are sorted by these. Texts need none.");
        }
        return new MapSchema<>(name, PayloadCodec.string(), codecs.codec(user, values));
    }
}
