package io.georep.spring;

import io.georep.funnel.ReplicatedMap;
import java.util.Set;
import org.springframework.core.ResolvableType;

/**
 * The replicated maps of this application, with keys and values that are written like payloads of outboxes. A map is opened when somebody
 * first asks for it; from then on, its changes are published as application events, each a {@link
 * io.georep.funnel.MapChange}. Thread-safe.
 */
public interface Maps {
    /**
     * Returns the map of this name.
     *
     * @throws io.georep.model.GeoRepException if it is open with other types, if nothing can write one of these types, or if the
     *     name is not valid
     */
    <K, V> ReplicatedMap<K, V> map(String name, Class<K> keys, Class<V> values);

    /** Returns the map of this name; for keys or values of a generic type. */
    ReplicatedMap<?, ?> map(String name, ResolvableType keys, ResolvableType values);

    /** Returns the names of the maps opened so far, in alphabetical order. */
    Set<String> names();
}
