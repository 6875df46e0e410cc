package io.georep.spring.integration;

import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.handler.AbstractMessageHandler;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageDeliveryException;
import org.springframework.util.PatternMatchUtils;

/**
 * The end of a flow: sends each message to an outbox. The call returns when the entry is durable here and on f other
 * nodes. It throws {@link MessageDeliveryException} if the entry is not durable, or if that is unknown; the cause says
 * which. Configure the handler before it gets messages. Then it is thread-safe.
 *
 * @param <T> the payloads of the outbox
 */
public final class OutboxMessageHandler<T> extends AbstractMessageHandler {
    private static final Duration SEND_TIMEOUT = Duration.ofSeconds(30);

    private final Outbox<T> outbox;
    private final Class<T> type;
    private long sendTimeoutNanos = SEND_TIMEOUT.toNanos();
    private String[] mappedHeaders = {};
    private Function<Message<?>, @Nullable String> producerKey = message -> null;

    /**
     * Sends to this outbox.
     *
     * @param type the payloads of the outbox; a message with another one is refused
     */
    public OutboxMessageHandler(Outbox<T> outbox, Class<T> type) {
        this.outbox = outbox;
        this.type = type;
    }

    /** Sets how long a call waits for the copies; then the outcome is unknown. Default: 30 seconds. */
    public OutboxMessageHandler<T> sendTimeout(Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException("sendTimeout is " + value + ", must be longer than zero");
        }
        sendTimeoutNanos = TimeUnit.NANOSECONDS.convert(value);
        return this;
    }

    /**
     * Sets which headers of a message go with the entry, as texts: names, or patterns with {@code *}. Default: none.
     */
    public OutboxMessageHandler<T> mappedHeaders(String... namesOrPatterns) {
        mappedHeaders = namesOrPatterns.clone();
        return this;
    }

    /** Sets where the producer's key comes from; see {@link SendOptions#producerKey}. Default: no key. */
    public OutboxMessageHandler<T> producerKey(Function<Message<?>, @Nullable String> value) {
        producerKey = Objects.requireNonNull(value, "producerKey");
        return this;
    }

    @Override
    public String getComponentType() {
        return "georep:outbox-outbound-channel-adapter";
    }

    @Override
    protected void handleMessageInternal(Message<?> message) {
        Object payload = message.getPayload();
        if (!type.isInstance(payload)) {
            throw new MessageDeliveryException(
                    message,
                    "outbox '" + outbox.name() + "' takes " + type.getName() + ", and the message carries "
                            + payload.getClass().getName() + ": put a transformer before this handler");
        }
        SendOptions options = SendOptions.defaults().headers(headers(message)).producerKey(producerKey.apply(message));
        try {
            outbox.send(type.cast(payload), options).toCompletableFuture().get(sendTimeoutNanos, TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw new MessageDeliveryException(
                    message, "outbox '" + outbox.name() + "' did not accept the message", e.getCause());
        } catch (TimeoutException e) {
            throw new MessageDeliveryException(
                    message,
                    "no answer of outbox '" + outbox.name() + "' within " + Duration.ofNanos(sendTimeoutNanos)
                            + ": the entry may still be forwarded",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MessageDeliveryException(
                    message, "interrupted while waiting for copies: the entry may still be forwarded", e);
        }
    }

    private Map<String, String> headers(Message<?> message) {
        Map<String, String> texts = new LinkedHashMap<>();
        message.getHeaders().forEach((name, value) -> {
            if (PatternMatchUtils.simpleMatch(mappedHeaders, name)) {
                texts.put(name, String.valueOf(value));
            }
        });
        return texts;
    }
}
