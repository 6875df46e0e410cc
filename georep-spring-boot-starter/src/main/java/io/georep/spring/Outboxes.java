package io.georep.spring;

import io.georep.outbox.Outbox;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/**
 * The outboxes of this application. An outbox is opened when somebody first asks for it. There is one object per queue, whether
 * it is injected, used by a listener, or asked for here. Thread-safe.
 */
public interface Outboxes {
    /**
     * Returns the outbox of this name. It is opened with the settings under {@code georep.outboxes.<name>}.
     *
     * @throws io.georep.model.GeoRepException if it is open with another type of payload, if nothing can write this type, or if
     *     the node refuses to open it
     */
    <T> Outbox<T> outbox(String name, Class<T> type);

    /** Returns the outbox of this name; for payloads of a generic type. */
    Outbox<?> outbox(String name, ResolvableType type);

    /** Returns the outbox of this name; null if nobody has opened it yet. */
    @Nullable
    Outbox<?> opened(String name);

    /** Returns the names of the outboxes opened so far, in alphabetical order. */
    Set<String> names();

    /**
     * Sets the number of copies on other nodes for a queue that is not open yet. {@code georep.outboxes.<name>.f} wins over it.
     *
     * @throws io.georep.model.ConfigurationException if the queue is open with another f
     */
    void wantF(String name, int f);

    /** Returns how many copies on other nodes the entries of this queue get. */
    int f(String name);
}
