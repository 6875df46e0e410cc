package io.georep.bench.micro;

import io.georep.model.EntryId;
import io.georep.model.Slice;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.runtime.AppSink;
import io.georep.runtime.ProtocolEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The application of a {@link SteppedCluster}: puts entries, counts answers and deliveries. Not thread-safe. */
final class SteppedApplication implements AppSink {
    static final String QUEUE = "steps";

    private final List<EntryId> delivered = new ArrayList<>();
    private final boolean forwardsAtOnce;
    private @Nullable SteppedCluster cluster;
    private long put;
    private long acknowledged;
    private long handedOut;

    /** With or without a handler that forwards what it gets in the same turn. */
    SteppedApplication(boolean forwardsAtOnce) {
        this.forwardsAtOnce = forwardsAtOnce;
    }

    void attach(SteppedCluster owner) {
        cluster = owner;
    }

    private SteppedCluster cluster() {
        return Objects.requireNonNull(cluster, "attached");
    }

    /** Gives the origin entries to accept, with one hand-over, and room for them at the handler. */
    void put(int entries, int f, Slice payload) {
        List<OutboxCommand.Put> puts = new ArrayList<>(entries);
        for (int i = 0; i < entries; i++) {
            puts.add(new OutboxCommand.Put(QUEUE, f, payload, this));
        }
        put += entries;
        cluster().origin().command(new OutboxCommand.PutAll(puts));
        cluster().origin().command(new OutboxCommand.Credit(QUEUE, entries));
    }

    /** Tells the origin that these entries are forwarded. */
    void forwarded(List<EntryId> ids) {
        cluster().origin().command(new OutboxCommand.Forwarded(ids));
    }

    /** Entries handed out and not taken yet; the caller gets the list. */
    List<EntryId> takeDelivered() {
        List<EntryId> taken = new ArrayList<>(delivered);
        delivered.clear();
        return taken;
    }

    /** Returns whether every entry put was acknowledged and handed out. */
    boolean hasAll() {
        return acknowledged == put && handedOut == put;
    }

    @Override
    public void accept(List<Object> events) {
        for (Object told : events) {
            Object event = told instanceof ProtocolEvent one ? one.event() : told;
            if (event instanceof OutboxEvent.Stored stored) {
                acknowledged += stored.puts().size();
            } else if (event instanceof OutboxEvent.Deliver deliver) {
                deliver(deliver.entries());
            } else if (event instanceof OutboxEvent.PutFailed failed) {
                throw new IllegalStateException("a put failed", failed.cause());
            }
        }
    }

    private void deliver(List<OutboxEvent.Delivered> entries) {
        List<EntryId> ids = new ArrayList<>(entries.size());
        for (OutboxEvent.Delivered entry : entries) {
            ids.add(entry.id());
        }
        handedOut += ids.size();
        if (forwardsAtOnce) {
            forwarded(ids);
        } else {
            delivered.addAll(ids);
        }
    }
}
