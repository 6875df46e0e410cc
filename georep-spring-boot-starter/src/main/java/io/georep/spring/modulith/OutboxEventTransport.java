package io.georep.spring.modulith;

import io.georep.model.ConfigurationException;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import io.georep.spring.outbox.OpenOutboxes;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.expression.EvaluationContext;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.RoutingTarget;
import org.springframework.modulith.events.support.BrokerRouting;
import org.springframework.modulith.events.support.EventExternalizationTransport;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Sends an externalized event to the outbox that its routing target names. The future that Spring Modulith gets is complete when
 * the entry is durable here and on f other nodes, so only then does Spring Modulith count the event as published. Thread-safe.
 */
public final class OutboxEventTransport implements EventExternalizationTransport {
    /**
     * Carries the routing key. Connectors take it for the key of the record. It is not the producer's key, which says that two
     * entries are the same: events of one routing key are different events.
     */
    static final String KEY = "connect.key";

    private static final int FOLLOWERS = 4;
    private static final long IDLE_SECONDS = 10;

    private final Executor followers = followers();
    private final OpenOutboxes outboxes;
    private final Predicate<String> declared;
    private final EventExternalizationConfiguration configuration;
    private final EvaluationContext context;

    /**
     * Nothing is opened yet.
     *
     * @param declared whether there are settings for a queue of this name
     * @param configuration knows the headers of an event
     * @param context for expressions in routing targets
     */
    public OutboxEventTransport(
            OpenOutboxes outboxes,
            Predicate<String> declared,
            EventExternalizationConfiguration configuration,
            EvaluationContext context) {
        this.outboxes = outboxes;
        this.declared = declared;
        this.configuration = configuration;
        this.context = context;
    }

    @Override
    public CompletableFuture<?> externalize(Object payload, RoutingTarget target) {
        try {
            BrokerRouting routing = BrokerRouting.of(target, context);
            String queue = routing.getTarget(payload);
            SendOptions options = SendOptions.defaults().headers(headers(payload, routing.getKey(payload)));
            CompletableFuture<?> sent =
                    outbox(queue, payload).send(payload, options).toCompletableFuture();
            // Spring Modulith goes on with its database, which may be slow or away: not on the thread that answers all
            // sends.
            return sent.whenCompleteAsync((id, error) -> {}, followers);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Returns threads: as many as may wait for the database at a time, and none while there is nothing to do. */
    private static Executor followers() {
        CustomizableThreadFactory threads = new CustomizableThreadFactory("georep-modulith-");
        threads.setDaemon(true);
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                FOLLOWERS, FOLLOWERS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    private Map<String, String> headers(Object payload, @Nullable String key) {
        Map<String, String> headers = new LinkedHashMap<>();
        configuration.getHeadersFor(payload).forEach((name, value) -> headers.put(name, String.valueOf(value)));
        if (key != null) {
            headers.put(KEY, key);
        }
        return headers;
    }

    /** A queue that is open for a common type of several events takes all of them. */
    @SuppressWarnings("unchecked")
    private Outbox<Object> outbox(String queue, Object payload) {
        ResolvableType type = outboxes.type(queue);
        if (type == null && !declared.test(queue)) {
            throw new ConfigurationException(
                    "events of " + payload.getClass().getName() + " are externalized to '" + queue
                            + "', but there is no outbox of this name: add settings, such as georep.outboxes." + queue
                            + ".f=1, or name another outbox with @Externalized(\"…\")");
        }
        if (type != null && type.isInstance(payload)) {
            return (Outbox<Object>) outboxes.outbox(queue, type);
        }
        return (Outbox<Object>) outboxes.outbox(queue, payload.getClass());
    }
}
