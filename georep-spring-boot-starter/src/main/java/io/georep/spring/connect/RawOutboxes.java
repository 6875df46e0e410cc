package io.georep.spring.connect;

import io.georep.model.EntryId;
import io.georep.model.Slice;
import io.georep.outbox.Delivery;
import io.georep.outbox.ForwardOptions;
import io.georep.outbox.Forwarding;
import io.georep.outbox.Outbox;
import io.georep.outbox.QueueStatistics;
import io.georep.outbox.SendOptions;
import io.georep.spi.PayloadCodec;
import io.georep.spring.Outboxes;
import io.georep.spring.outbox.OpenListener;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.connect.errors.DataException;

/**
 * The outboxes of the application as bytes, whatever type their payloads have elsewhere in the application. An outbox that nobody
 * has opened is opened with bytes. Thread-safe.
 */
public final class RawOutboxes implements OpenListener {
    private static final int NAME_BYTES_MAX = 255;

    private final Map<String, PayloadCodec<?>> codecs = new ConcurrentHashMap<>();

    /** Knows no outbox yet. */
    public RawOutboxes() {}

    @Override
    public <T> void opened(Outbox<T> outbox, PayloadCodec<T> codec, int f) {
        codecs.put(outbox.name(), codec);
    }

    /**
     * Returns the outbox of a name that may come from data.
     *
     * @throws DataException if no outbox can have this name
     */
    Raw<?> outbox(Outboxes outboxes, String name) {
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (name.isBlank() || bytes > NAME_BYTES_MAX) {
            throw new DataException("no outbox can have a name of " + bytes + " bytes: allowed are 1 to "
                    + NAME_BYTES_MAX + ", with something visible");
        }
        Outbox<?> open = outboxes.opened(name);
        return open == null ? typed(outboxes.outbox(name, byte[].class)) : typed(open);
    }

    @SuppressWarnings("unchecked") // an outbox and its codec were opened together
    private <T> Raw<T> typed(Outbox<T> outbox) {
        PayloadCodec<T> codec = (PayloadCodec<T>) codecs.get(outbox.name());
        if (codec == null) {
            throw new IllegalStateException("outbox " + outbox.name() + " was not opened by the starter's Outboxes: a"
                    + " connector cannot read or write its payloads");
        }
        return new Raw<>(outbox, codec);
    }

    /** One outbox. */
    static final class Raw<T> {
        private final Outbox<T> outbox;
        private final PayloadCodec<T> codec;

        Raw(Outbox<T> outbox, PayloadCodec<T> codec) {
            this.outbox = outbox;
            this.codec = codec;
        }

        /**
         * Sends a payload.
         *
         * @throws DataException if the application's codec cannot read these bytes, or the outbox refuses the payload
         */
        CompletionStage<EntryId> send(byte[] payload, SendOptions options) {
            T read;
            try {
                read = codec.decode(Slice.of(payload));
            } catch (Exception e) {
                throw new DataException(
                        "the payloads of outbox " + outbox.name() + " have another format in this application: " + e,
                        e);
            }
            try {
                return outbox.send(read, options);
            } catch (IllegalArgumentException e) {
                throw new DataException("outbox " + outbox.name() + " does not take the record: " + e.getMessage(), e);
            }
        }

        /** Forwards; the handler gets entries with their bytes and returns whether it took them. */
        Forwarding forward(Function<List<SinkEntry>, Boolean> handler, Consumer<ForwardOptions> options) {
            return outbox.forwardBatches(
                    deliveries -> {
                        List<SinkEntry> entries = new ArrayList<>(deliveries.size());
                        for (Delivery<T> delivery : deliveries) {
                            entries.add(new SinkEntry(delivery, codec.encode(delivery.payload()), delivery.keep()));
                        }
                        if (!handler.apply(entries)) {
                            entries.forEach(SinkEntry::giveBack);
                        }
                    },
                    options);
        }

        QueueStatistics statistics() {
            return outbox.statistics();
        }

        @Override
        public String toString() {
            return outbox.name();
        }
    }
}
