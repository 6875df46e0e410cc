package io.georep.outbox;

import io.georep.model.ConfigurationException;
import io.georep.spi.PayloadCodec;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** All outboxes of a node. Thread-safe. */
public interface OutboxService {
    /**
     * Opens an outbox. Its payloads are written by the codec that the node finds for this class.
     *
     * @throws ConfigurationException if there is no codec, or if the queue is open already or cannot be opened
     */
    <T> Outbox<T> outbox(String name, Class<T> type, Consumer<OutboxOptions> options);

    /**
     * Opens an outbox with this codec.
     *
     * @throws ConfigurationException if the queue is open already or cannot be opened
     */
    <T> Outbox<T> outbox(String name, PayloadCodec<T> codec, Consumer<OutboxOptions> options);

    /**
     * Opens a queue that the application keeps itself; the node only makes the copies.
     *
     * @throws ConfigurationException if the queue is open already or cannot be opened
     */
    Replication replication(String name);

    /** Sets whether this node may adopt entries of other nodes. Initially it may. */
    void allowAdoption(boolean allowed);

    /** Reads what the outboxes of this node have done and hold. */
    CompletionStage<OutboxActivity> readStatistics();
}
