package io.georep.examples.sms;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.spi.Transport;
import io.georep.spi.TransportFactory;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A network on which frames between nodes are under way for a while. */
final class DistantSites implements TransportFactory, AutoCloseable {
    private final TransportFactory network;
    private final ScheduledExecutorService way =
            Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "distance"));
    private final Map<Set<String>, Duration> roundTrips;

    /** A frame takes half of the time of a pair from one of these nodes to the other. */
    DistantSites(TransportFactory network, Map<Set<String>, Duration> roundTrips) {
        this.network = network;
        this.roundTrips = roundTrips;
    }

    private long oneWayNanos(NodeId from, NodeId to) {
        return from.equals(to)
                ? 0
                : roundTrips
                                .getOrDefault(Set.of(from.value(), to.value()), Duration.ZERO)
                                .toNanos()
                        / 2;
    }

    @Override
    public Transport create(Settings settings) {
        Transport transport = network.create(settings);
        return proxy(Transport.class, (proxy, method, arguments) -> {
            if (method.getName().equals("start")) {
                arguments[1] = delayed((Transport.Listener) arguments[1], settings.node());
            }
            return call(transport, method, arguments);
        });
    }

    private Transport.Listener delayed(Transport.Listener listener, NodeId self) {
        return proxy(Transport.Listener.class, (proxy, method, arguments) -> {
            if (!method.getName().equals("frame") && !method.getName().equals("strangerFrame")) {
                return call(listener, method, arguments);
            }
            long nanos = oneWayNanos(((NodeIdentity) arguments[0]).id(), self);
            return way.isShutdown()
                    ? null
                    : discard(way.schedule(() -> call(listener, method, arguments), nanos, TimeUnit.NANOSECONDS));
        });
    }

    private static Object discard(Object unused) {
        return null;
    }

    private static <T> T proxy(Class<T> type, InvocationHandler calls) {
        return type.cast(Proxy.newProxyInstance(DistantSites.class.getClassLoader(), new Class<?>[] {type}, calls));
    }

    private static Object call(Object on, Method method, Object[] arguments) {
        try {
            return method.invoke(on, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof RuntimeException known ? known : new IllegalStateException(e);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        way.shutdownNow();
    }
}
