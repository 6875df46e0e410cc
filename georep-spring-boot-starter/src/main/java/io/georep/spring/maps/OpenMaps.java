package io.georep.spring.maps;

import io.georep.funnel.MapChange;
import io.georep.funnel.ReplicatedMap;
import io.georep.funnel.ReplicatedMaps;
import io.georep.model.ConfigurationException;
import io.georep.model.Registration;
import io.georep.spi.PayloadCodec;
import io.georep.spring.Maps;
import io.georep.spring.outbox.PayloadCodecs;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.core.ResolvableType;

/** Opens each map once, and publishes its changes until the context ends. */
public final class OpenMaps implements Maps, DisposableBean {
    private record Opened(String types, ReplicatedMap<?, ?> map, Registration listening) {}

    private final ReplicatedMaps maps;
    private final PayloadCodecs codecs;
    private final ApplicationEventPublisher events;
    private final Map<String, Opened> opened = new TreeMap<>();

    /** Nothing is opened yet. */
    public OpenMaps(ReplicatedMaps maps, PayloadCodecs codecs, ApplicationEventPublisher events) {
        this.maps = maps;
        this.codecs = codecs;
        this.events = events;
    }

    @Override
    @SuppressWarnings("unchecked")
    public <K, V> ReplicatedMap<K, V> map(String name, Class<K> keys, Class<V> values) {
        return (ReplicatedMap<K, V>) map(name, ResolvableType.forClass(keys), ResolvableType.forClass(values));
    }

    /**
     * Codecs are made without the monitor, because the thread that makes a bean holds a lock of the context, and others
     * with that lock wait for the monitor.
     */
    @Override
    public ReplicatedMap<?, ?> map(String name, ResolvableType keys, ResolvableType values) {
        String types = keys + " to " + values;
        String user = "map '" + name + "'";
        ReplicatedMap<?, ?> before = known(name, types);
        return before == null
                ? opened(name, types, codecs.codec(user, keys), codecs.codec(user, values), keys, values)
                : before;
    }

    private synchronized @Nullable ReplicatedMap<?, ?> known(String name, String types) {
        Opened before = opened.get(name);
        if (before != null && !before.types.equals(types)) {
            throw new ConfigurationException("map '" + name + "' is open from " + before.types
                    + ", but another place of the application wants it from " + types + ": use the same types");
        }
        return before == null ? null : before.map;
    }

    private synchronized ReplicatedMap<?, ?> opened(
            String name,
            String types,
            PayloadCodec<?> keyCodec,
            PayloadCodec<?> valueCodec,
            ResolvableType keys,
            ResolvableType values) {
        ReplicatedMap<?, ?> before = known(name, types);
        if (before != null) {
            return before; // another thread was faster
        }
        Opened now = open(name, types, keyCodec, valueCodec, keys, values);
        opened.put(name, now);
        return now.map;
    }

    private <K, V> Opened open(
            String name,
            String types,
            PayloadCodec<K> keyCodec,
            PayloadCodec<V> valueCodec,
            ResolvableType keys,
            ResolvableType values) {
        ReplicatedMap<K, V> map = maps.map(name, keyCodec, valueCodec);
        ResolvableType event = ResolvableType.forClassWithGenerics(MapChange.class, keys, values);
        return new Opened(
                types,
                map,
                map.listen(change -> events.publishEvent(new PayloadApplicationEvent<>(map, change, event))));
    }

    @Override
    public synchronized Set<String> names() {
        return new TreeSet<>(opened.keySet());
    }

    @Override
    public synchronized void destroy() {
        opened.values().forEach(each -> each.listening.close());
    }
}
