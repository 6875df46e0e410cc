package io.georep.spring;

import io.georep.outbox.Outbox;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/**
 * The outboxes of this application, opened when first asked for. Everything here shares one object per queue, whether it
 * was injected, listened to or asked for. Thread-safe.
 */
public interface Outboxes {
    /**
     * The outbox of this name, opened with the settings under {@code georep.outboxes.<name>}.
     *
     * @throws io.georep.model.GeoRepException when it is open with another type of payload, nothing can write this type,
     *     or the node refuses to open it
     */
    <T> Outbox<T> outbox(String name, Class<T> type);

    /** The outbox of this name whose payloads have a generic type. */
    Outbox<?> outbox(String name, ResolvableType type);

    /** The outbox of this name as Spring sees it; null while nobody opened it. */
    @Nullable
    Outbox<?> opened(String name);

    /** Names of the outboxes opened so far, in their order. */
    Set<String> names();

    /**
     * Wishes copies on other nodes for a queue that is not open yet; {@code georep.outboxes.<name>.f} wins over it.
     *
     * @throws io.georep.model.ConfigurationException when it is open with another f
     */
    void wantF(String name, int f);

    /** Copies on other nodes that entries of this queue get. */
    int f(String name);
}
