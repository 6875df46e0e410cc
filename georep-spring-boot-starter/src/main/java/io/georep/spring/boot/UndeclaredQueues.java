package io.georep.spring.boot;

import io.georep.model.ConfigurationException;
import io.georep.spring.listener.ListenerRegistry;
import io.georep.spring.outbox.OpenOutboxes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/** Finds listeners on queues that nothing else in the application names. They would wait for ever. */
final class UndeclaredQueues implements SmartLifecycle {
    /** Runs after all beans are there, and before the node's listeners start. */
    static final int PHASE = ListenerRegistry.PHASE - 1;

    private static final Logger LOG = LoggerFactory.getLogger(UndeclaredQueues.class);

    private final OpenOutboxes outboxes;
    private final ListenerRegistry listeners;
    private final GeoRepProperties properties;
    private boolean running;

    UndeclaredQueues(OpenOutboxes outboxes, ListenerRegistry listeners, GeoRepProperties properties) {
        this.outboxes = outboxes;
        this.listeners = listeners;
        this.properties = properties;
    }

    @Override
    public void start() {
        running = true;
        List<String> found = sentences();
        if (!found.isEmpty()) {
            if (properties.strict()) {
                throw ConfigurationException.of(found);
            }
            found.forEach(sentence -> LOG.warn("{}. With georep.strict=true this fails the start", sentence));
        }
    }

    private List<String> sentences() {
        Map<String, Integer> all = outboxes.asked();
        Map<String, Integer> byListeners = listeners.asked();
        Set<String> declared = new TreeSet<>(properties.outboxes().keySet());
        all.forEach((queue, times) -> {
            if (times > byListeners.getOrDefault(queue, 0)) {
                declared.add(queue);
            }
        });
        List<String> sentences = new ArrayList<>();
        byListeners.keySet().stream()
                .filter(queue -> !declared.contains(queue))
                .forEach(queue -> sentences.add("queue '" + queue + "' has " + listeners.of(queue)
                        + ", but no injected Outbox, @ReplicatedQueue or setting under georep.outboxes names it"
                        + near(queue, declared)
                        + ": correct the name, or add a setting under georep.outboxes."
                        + queue + " if it is opened later or on other nodes only"));
        return sentences;
    }

    private static String near(String queue, Set<String> declared) {
        return declared.stream()
                .filter(other -> KnownKeys.distance(queue, other) <= 2)
                .findFirst()
                .map(other -> " (did you mean '" + other + "'?)")
                .orElse("");
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
