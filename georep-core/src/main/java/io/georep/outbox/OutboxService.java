package io.georep.outbox;

import io.georep.model.ConfigurationException;
import io.georep.spi.PayloadCodec;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** All outboxes of a node. Thread-safe. */
public interface OutboxService {
    /**
     * Opens an outbox whose payloads are written by the codec found for this class.
     *
     * @throws ConfigurationException when there is no codec, or the queue is open already or cannot be
     */
    <T> Outbox<T> outbox(String name, Class<T> type, Consumer<OutboxOptions> options);

    /**
     * Opens an outbox with a codec of its own.
     *
     * @throws ConfigurationException when the queue is open already or cannot be
     */
    <T> Outbox<T> outbox(String name, PayloadCodec<T> codec, Consumer<OutboxOptions> options);

    /**
     * Opens a queue with the interface of the paper.
     *
     * @throws ConfigurationException when the queue is open already or cannot be
     */
    Replication replication(String name);

    /** Whether this node may take over entries of nodes that died; true unless it was said. */
    void allowAdoption(boolean allowed);

    /** Reads what the outboxes of this node hold and did. */
    CompletionStage<OutboxActivity> readStatistics();
}
