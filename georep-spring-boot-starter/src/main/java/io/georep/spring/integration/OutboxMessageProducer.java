package io.georep.spring.integration;

import io.georep.outbox.Delivery;
import io.georep.outbox.ForwardOptions;
import io.georep.outbox.Forwarding;
import io.georep.outbox.Outbox;
import io.georep.spring.listener.ListenerRegistry;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.endpoint.MessageProducerSupport;
import org.springframework.integration.support.MessageBuilder;

/**
 * The beginning of a flow: hands each entry of an outbox on as a message, whose headers are those of the entry and the two named
 * here. The entry is forwarded when the flow has returned without an exception; after one, the outbox tries again as with any
 * handler. So let the flow do its work in the thread that calls it: behind a queue or an executor, the entry is deleted
 * everywhere before the work is done. With an error channel set, a message that fails goes there and counts as forwarded.
 *
 * @param <T> the payloads of the outbox
 */
public final class OutboxMessageProducer<T> extends MessageProducerSupport {
    /** Header with the {@link Delivery}: the id of the entry, the attempt, whether it may have been sent before. */
    public static final String DELIVERY = "georep_delivery";

    /** Header with the id of the entry, as text. It is the same at each attempt and on each node. */
    public static final String ENTRY_ID = "georep_entryId";

    /**
     * How long a stop waits for handlers, as with listeners. The flow may send to another outbox, so this stops before the node
     * does.
     */
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

    private final Outbox<T> outbox;
    private final Consumer<ForwardOptions> options;
    private Duration stopTimeout = STOP_TIMEOUT;
    private @Nullable Forwarding forwarding;

    /** Forwards this outbox with default options. It must have no other handler. */
    public OutboxMessageProducer(Outbox<T> outbox) {
        this(outbox, options -> {});
    }

    /** Forwards this outbox, which must have no other handler. */
    public OutboxMessageProducer(Outbox<T> outbox, Consumer<ForwardOptions> options) {
        this.outbox = outbox;
        this.options = options;
        setPhase(ListenerRegistry.PHASE);
    }

    /** Sets how long a stop waits for messages that are on their way through the flow. Default: 10 seconds. */
    public OutboxMessageProducer<T> stopTimeout(Duration value) {
        stopTimeout = Objects.requireNonNull(value, "stopTimeout");
        return this;
    }

    @Override
    public String getComponentType() {
        return "georep:outbox-inbound-channel-adapter";
    }

    @Override
    protected void doStart() {
        super.doStart();
        forwarding = outbox.forward(this::handOn, options);
    }

    @Override
    protected void doStop() {
        Forwarding running = forwarding;
        forwarding = null;
        if (running != null) {
            running.stop(stopTimeout);
        }
        super.doStop();
    }

    private void handOn(Delivery<T> delivery) {
        MessageBuilder<T> message = MessageBuilder.withPayload(delivery.payload());
        delivery.headers().forEach((name, value) -> {
            try {
                message.setHeader(name, value);
            } catch (IllegalArgumentException e) {
                logger.debug(e, () -> "header " + name + " of entry " + delivery.id() + " is left out");
            }
        });
        sendMessage(message.setHeader(ENTRY_ID, delivery.id().toString())
                .setHeader(DELIVERY, delivery)
                .build());
    }
}
