package io.georep.protocol;

import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One deterministic turn as one protocol sees it: the time it happens at and the place where effects are collected. What it
 * sends, stores and tells is on the protocol's own channel. Valid only during the call
 * it was passed to. At the end of the turn the driver hands the batch to the store, sends the frames that depend on
 * nothing, and keeps the rest until the batch is durable.
 */
public interface Turn {
    /** Most pairs in the answer to a read. */
    int READ_PAIRS_MAX = 4096;

    /** Most bytes of values in the answer to a read, unless a single one is larger. */
    long READ_BYTES_MAX = 4L << 20;

    /** Monotonic nanoseconds at the start of the turn. */
    long now();

    /** Wall clock milliseconds at the start of the turn: only for stamps on disk and for applications. */
    long wallMillis();

    /** The only source of randomness. */
    RandomGenerator random();

    /** This turn's changes to the store; keys begin with the protocol's channel. */
    StoreBatch store();

    /** Number of batches handed to the store and not yet durable. */
    int storeBacklog();

    /**
     * Sends a message at the end of the turn. The body must not change afterwards.
     *
     * <p>Messages of this protocol that are not urgent reach a peer in order, or not at all. Those of other protocols may
     * overtake them, and urgent ones too. What does not fit into this protocol's part of the link's queue is dropped:
     * {@link Peer#writable} tells beforehand. A message larger than a frame (64 KiB) holds up everything that is not
     * urgent, of all protocols, until it is sent.
     */
    void send(Peer to, int type, Slice body, boolean urgent);

    /**
     * Sends a message once this turn's batch is durable, with all before it. Like everything that waits for that, it has the
     * batch synced, as far as {@link HostedProtocol#durability} asks for it.
     */
    default void sendWhenDurable(Peer to, int type, Slice body, boolean urgent) {
        store().requireDurable();
        sendWhenWritten(to, type, body, urgent);
    }

    /** Runs in a later turn, once this turn's batch is durable. */
    default void whenDurable(Later action) {
        store().requireDurable();
        whenWritten(action);
    }

    /** Tells the application side once this turn's batch is durable. */
    default void notifyWhenDurable(Object event) {
        store().requireDurable();
        notifyWhenWritten(event);
    }

    /**
     * Sends a message once this turn's batch is written, with all before it. That costs no sync. A crash may undo what is
     * written, unless {@link StoreBatch#requireDurable} was called for it in this turn or an earlier one.
     */
    void sendWhenWritten(Peer to, int type, Slice body, boolean urgent);

    /** Runs in a later turn, once this turn's batch is written; a crash may undo that. */
    void whenWritten(Later action);

    /** Tells the application side at the end of the turn. */
    void notify(Object event);

    /** Tells the application side once this turn's batch is written; a crash may undo that. */
    void notifyWhenWritten(Object event);

    /**
     * Reads keys of this protocol from {@code from} (inclusive) to {@code to} (exclusive), in order. The answer comes in a
     * later turn and sees everything submitted up to this turn's batch, which may not be durable yet. Answers come in the
     * order of the reads. One answer holds at most {@link #READ_PAIRS_MAX} pairs and, but for a single larger one, about
     * {@link #READ_BYTES_MAX} bytes of values; {@link EntryStore.Pair#keyAfter} says where to go on.
     *
     * @throws IllegalArgumentException when one of the keys is not of this protocol
     */
    void read(byte[] from, byte[] to, int pairsMax, long bytesMax, Scanned answer);

    /**
     * Reads the value of one key of this protocol, under the same conditions as a range.
     *
     * @throws IllegalArgumentException when the key is not of this protocol
     */
    default void read(byte[] key, Found answer) {
        read(
                key,
                Arrays.copyOf(key, key.length + 1),
                1,
                READ_BYTES_MAX,
                (pairs, more, turn) ->
                        answer.run(pairs.isEmpty() ? null : pairs.get(0).value(), turn));
    }

    /**
     * Returns the peer of this name, learnt now if unknown (rule p1: from the owners list of a stored entry). A Prospect that
     * was asked for here may block an adoption, so it ages to Terminated when it stays silent (rule p8).
     */
    default Peer ensurePeer(NodeId id) {
        return Objects.requireNonNull(ensurePeer(id, null), "only a teller may be refused");
    }

    /**
     * The same for a name that a peer told.
     *
     * @param teller who told it, null for this node
     * @return null when the teller may not decide over other nodes, and has told too many names that nobody met (rule M33)
     */
    @Nullable
    Peer ensurePeer(NodeId id, @Nullable NodeId teller);

    /** Work for a later turn. */
    @FunctionalInterface
    interface Later {
        /** Called with the turn it runs in. */
        void run(Turn turn);
    }

    /** Answer to the read of one key. */
    @FunctionalInterface
    interface Found {
        /** The value, null when there is none. */
        void run(@Nullable Slice value, Turn turn);
    }

    /** Answer to the read of a range. */
    @FunctionalInterface
    interface Scanned {
        /** The pairs in key order; {@code more} when a limit cut the answer short. */
        void run(List<EntryStore.Pair> pairs, boolean more, Turn turn);
    }
}
