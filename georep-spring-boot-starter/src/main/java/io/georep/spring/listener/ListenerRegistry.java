package io.georep.spring.listener;

import io.georep.logging.LimitedLog;
import io.georep.model.GeoRepException;
import io.georep.outbox.Adoption;
import io.georep.outbox.Outbox;
import io.georep.spring.MisuseException;
import io.georep.spring.OutboxListeners;
import io.georep.spring.Outboxes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * All listeners of the application. They start before the web server and stop after it, so that what it accepted last
 * is still forwarded. They stop before the node.
 */
public final class ListenerRegistry implements OutboxListeners, SmartLifecycle {
    /** After the node, before the web server. */
    public static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 4096;

    private static final Logger LOG = LoggerFactory.getLogger(ListenerRegistry.class);

    private final LimitedLog failures = new LimitedLog(LOG);
    private final Outboxes outboxes;
    private final HandlerAdvice advice;
    private final HandlerThreads threads;
    private final Duration stopTimeout;
    private final Map<String, ListenerContainer<?>> containers = new TreeMap<>();
    private final Map<String, Integer> asked = new TreeMap<>();
    private boolean running;

    /**
     * No listeners yet.
     *
     * @param stopTimeout longest time all listeners together wait for calls at work when the application stops
     */
    public ListenerRegistry(Outboxes outboxes, HandlerAdvice advice, HandlerThreads threads, Duration stopTimeout) {
        this.outboxes = outboxes;
        this.advice = advice;
        this.threads = threads;
        this.stopTimeout = stopTimeout;
    }

    /** Adds a listener. It starts with the others, or now if they run. */
    synchronized void add(ListenerMethod method, ListenerSettings settings) {
        for (ListenerContainer<?> other : containers.values()) {
            if (other.queue().equals(settings.queue())) {
                throw new MisuseException(
                        "queue '" + settings.queue() + "' has two listeners: " + other + " and " + method,
                        "Keep one of them; raise its concurrency when one call at a time is too slow. Two different"
                                + " consumers of the same entries need two queues.");
            }
        }
        if (containers.containsKey(settings.id())) {
            throw new MisuseException(
                    "listener id '" + settings.id() + "' is used twice: by " + containers.get(settings.id()) + " and "
                            + method,
                    "Give each @OutboxListener an id of its own.");
        }
        ListenerContainer<?> container =
                container(outbox(settings.queue(), method, "listener " + settings.id()), settings, method);
        containers.put(settings.id(), container);
        if (running && settings.autoStartup()) {
            container.start();
        }
    }

    private <T> ListenerContainer<T> container(Outbox<T> outbox, ListenerSettings settings, ListenerMethod method) {
        return new ListenerContainer<>(outbox, settings, method, advice, threads);
    }

    /** Adds a method that is told about adoptions. */
    void addAdoption(String queue, ListenerMethod method) {
        tell(outbox(queue, method, "adoption callback"), method);
    }

    private Outbox<?> outbox(String queue, ListenerMethod method, String role) {
        synchronized (this) {
            asked.merge(queue, 1, Integer::sum);
        }
        try {
            return outboxes.outbox(queue, method.payload());
        } catch (GeoRepException e) {
            throw new MisuseException(role + " (" + method + ")", e, "Correct what the message names.");
        }
    }

    /** Returns how often listeners and adoption callbacks asked for each queue. */
    public synchronized Map<String, Integer> asked() {
        return new TreeMap<>(asked);
    }

    /** Returns the methods of listeners of a queue, for messages. */
    public synchronized List<String> of(String queue) {
        return containers.values().stream()
                .filter(container -> container.queue().equals(queue))
                .map(ListenerContainer::toString)
                .toList();
    }

    private <T> void tell(Outbox<T> outbox, ListenerMethod method) {
        outbox.onAdoption((Adoption<T> adoption) -> {
            try {
                method.call(ListenerInput.of(adoption));
            } catch (Throwable e) {
                failures.error(
                        "{} failed for the adoption of {} from {}",
                        method,
                        adoption.delivery().id(),
                        adoption.from(),
                        e);
            }
        });
    }

    @Override
    public synchronized List<Container> all() {
        return List.copyOf(containers.values());
    }

    @Override
    public synchronized @Nullable Container byId(String id) {
        return containers.get(id);
    }

    @Override
    public synchronized void start() {
        running = true;
        for (ListenerContainer<?> container : containers.values()) {
            if (container.settings().autoStartup()) {
                container.start();
            }
        }
    }

    @Override
    public void stop() {
        List<ListenerContainer<?>> all;
        synchronized (this) {
            running = false;
            all = new ArrayList<>(containers.values());
        }
        long deadline = System.nanoTime() + stopTimeout.toNanos();
        // First all of them are told, then all are waited for.
        List<ListenerContainer.CallsAtWork> ends =
                all.stream().map(ListenerContainer::takeNoMore).toList();
        ends.forEach(end -> end.await(Duration.ofNanos(Math.max(0, deadline - System.nanoTime()))));
    }

    @Override
    public synchronized boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
