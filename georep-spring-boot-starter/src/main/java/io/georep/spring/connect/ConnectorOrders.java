package io.georep.spring.connect;

import io.georep.keys.KeySpace;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What operators last ordered of a connector: whether it runs, pauses or is stopped. All nodes see it, and it outlives restarts.
 * Thread-safe.
 *
 * <p>The record has 10 bytes: a version, the order, and an i64 that is new with each order.
 */
final class ConnectorOrders {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectorOrders.class);
    private static final byte VERSION = 1;
    private static final int BYTES = 10;

    /** What a connector is to do, and the letter that is stored for it. */
    enum Target {
        RUNNING('R'),
        PAUSED('P'),
        STOPPED('S');

        private final byte letter;

        Target(char letter) {
            this.letter = (byte) letter;
        }
    }

    private final KeySpace space;
    private final String connector;
    private @Nullable CompletableFuture<byte @Nullable []> reading;
    /** ConnectorOrders that a later one of this node replaces, whatever the store still returns. */
    private final Set<Long> replaced = new HashSet<>();

    private long seen;
    private int storing;

    /** {@code space}: one whose writes need no other node, so that an order is taken while this node is alone. */
    ConnectorOrders(KeySpace space, String connector) {
        this.space = space;
        this.connector = connector;
    }

    /** Stores an order of this node. The caller carries it out. */
    synchronized void give(Target target) {
        long nonce = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
        replaced.add(seen);
        seen = nonce;
        storing++;
        byte[] record = ByteBuffer.allocate(BYTES)
                .put(VERSION)
                .put(target.letter)
                .putLong(nonce)
                .array();
        space.put(key(), record).whenComplete((done, error) -> {
            stored();
            if (error != null) {
                LOG.warn(
                        "Connector {}: the order that it is {} is carried out on this node, but was not stored; a restart may"
                                + " forget it",
                        connector,
                        target,
                        error);
            }
        });
    }

    private synchronized void stored() {
        storing--;
        reading = null; // it may have begun before
    }

    /**
     * Returns an order that another node gave, or this one before its restart, if it was not returned before; else
     * null. Never waits: it returns what an earlier call has asked the store for.
     */
    @Nullable
    synchronized Target take() {
        if (storing > 0) {
            return null; // what is stored now is older
        }
        CompletableFuture<byte @Nullable []> read = reading;
        if (read == null) {
            read = space.get(key()).toCompletableFuture();
            reading = read;
        }
        if (!read.isDone()) {
            return null;
        }
        reading = null;
        return read.isCompletedExceptionally() ? null : take(read.join());
    }

    private @Nullable Target take(byte @Nullable [] bytes) {
        if (bytes == null) {
            return null;
        }
        ByteBuffer record = ByteBuffer.wrap(bytes);
        if (bytes.length != BYTES || record.get() != VERSION) {
            return null; // of a later version of this library
        }
        byte letter = record.get();
        long nonce = record.getLong();
        if (nonce == seen || replaced.contains(nonce)) {
            return null;
        }
        seen = nonce;
        for (Target target : Target.values()) {
            if (target.letter == letter) {
                return target;
            }
        }
        return null;
    }

    /** Waits for what is stored at the start; see {@link #take}. */
    @Nullable
    Target first(long millis) {
        CompletableFuture<byte @Nullable []> read;
        synchronized (this) {
            read = space.get(key()).toCompletableFuture();
            reading = read; // an order of this node replaces it
        }
        try {
            read.get(millis, TimeUnit.MILLISECONDS);
            return take();
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("Connector {}: what was last ordered of it cannot be read yet", connector, e);
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    private String key() {
        return "order/" + connector;
    }
}
