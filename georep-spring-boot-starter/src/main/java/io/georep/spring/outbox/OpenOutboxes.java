package io.georep.spring.outbox;

import io.georep.GeoRepNode;
import io.georep.model.ConfigurationException;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendInterceptor;
import io.georep.spi.PayloadCodec;
import io.georep.spring.MisuseException;
import io.georep.spring.Outboxes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/** Opens each outbox once, on the node, with its settings, its codec and the context's interceptors. */
public final class OpenOutboxes implements Outboxes {
    private record Opened(ResolvableType type, Outbox<?> outbox) {}

    private final GeoRepNode node;
    private final PayloadCodecs codecs;
    private final Function<String, QueueSettings> settings;
    private final Supplier<List<SendInterceptor>> interceptors;
    private final Supplier<List<OpenListener>> listeners;
    private final Map<String, Integer> wantedF = new HashMap<>();
    private final Map<String, Opened> opened = new TreeMap<>();
    private final Map<String, Integer> asked = new TreeMap<>();

    /**
     * Nothing is opened yet.
     *
     * @param settings the settings of a queue by its name
     * @param interceptors what happens around sends, outermost first
     * @param listeners who is told about opened outboxes
     */
    public OpenOutboxes(
            GeoRepNode node,
            PayloadCodecs codecs,
            Function<String, QueueSettings> settings,
            Supplier<List<SendInterceptor>> interceptors,
            Supplier<List<OpenListener>> listeners) {
        this.node = node;
        this.codecs = codecs;
        this.settings = settings;
        this.interceptors = interceptors;
        this.listeners = listeners;
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> Outbox<T> outbox(String name, Class<T> type) {
        return (Outbox<T>) outbox(name, ResolvableType.forClass(type));
    }

    /** Beans are made without the monitor: who makes one holds a lock of the context, and others with that lock wait for it. */
    @Override
    public Outbox<?> outbox(String name, ResolvableType type) {
        Outbox<?> before = asked(name, type);
        return before == null
                ? open(
                        name,
                        type,
                        codecs.codec("queue '" + name + "'", type),
                        List.copyOf(interceptors.get()),
                        List.copyOf(listeners.get()))
                : before;
    }

    private synchronized @Nullable Outbox<?> asked(String name, ResolvableType type) {
        asked.merge(name, 1, Integer::sum);
        return known(name, type);
    }

    private @Nullable Outbox<?> known(String name, ResolvableType type) {
        Opened before = opened.get(name);
        if (before != null && !before.type().toString().equals(type.toString())) {
            throw new MisuseException(
                    "queue '" + name + "' carries " + before.type()
                            + ", but another place of the application uses it with " + type,
                    "Use " + before.type()
                            + " in every Outbox<…>, @OutboxListener and @OnAdoption of this queue, or give"
                            + " the other payloads a queue of their own.");
        }
        return before == null ? null : before.outbox();
    }

    private synchronized <T> Outbox<?> open(
            String name,
            ResolvableType type,
            PayloadCodec<T> codec,
            List<SendInterceptor> around,
            List<OpenListener> told) {
        Outbox<?> before = known(name, type);
        if (before != null) {
            return before; // another thread was faster
        }
        int f = f(name);
        Outbox<T> outbox = node.outbox(name, codec, options -> {
            options.f(f);
            around.forEach(options::intercept);
        });
        told.forEach(listener -> listener.opened(outbox, codec, f));
        opened.put(name, new Opened(type, outbox));
        return outbox;
    }

    @Override
    public synchronized @Nullable Outbox<?> opened(String name) {
        Opened found = opened.get(name);
        return found == null ? null : found.outbox();
    }

    /** The payloads of a queue; null if nobody has opened it yet. */
    public synchronized @Nullable ResolvableType type(String name) {
        Opened found = opened.get(name);
        return found == null ? null : found.type();
    }

    /** Returns how often each queue was asked for. */
    public synchronized Map<String, Integer> asked() {
        return new TreeMap<>(asked);
    }

    @Override
    public synchronized Set<String> names() {
        return new TreeSet<>(opened.keySet());
    }

    @Override
    public synchronized void wantF(String name, int f) {
        if (opened.containsKey(name)
                && f(name) != Math.min(f, settings.apply(name).copiesMax())) {
            throw new ConfigurationException("queue '" + name + "' is open with f is " + f(name)
                    + ", but another place of the application wants " + f + ": set georep.outboxes." + name + ".f");
        }
        wantedF.put(name, f);
    }

    @Override
    public synchronized int f(String name) {
        QueueSettings queue = settings.apply(name);
        Integer wanted = wantedF.get(name);
        return Math.min(queue.copiesMax(), wanted == null || queue.fConfigured() ? queue.f() : wanted);
    }
}
