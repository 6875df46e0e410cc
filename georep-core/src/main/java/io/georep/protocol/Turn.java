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
 * One turn as one protocol sees it: the time at which it happens, and the place where the protocol leaves its
 * effects. What it sends, stores and tells goes over its own channel. A turn is valid only during the call that it
 * was passed to. At the end of the turn the driver gives the batch to the store and sends the frames that wait for
 * nothing. It keeps the others until the batch is durable.
 */
public interface Turn {
    /** The most pairs in the answer to a read. */
    int READ_PAIRS_MAX = 4096;

    /** The most bytes of values in the answer to a read, unless a single value is larger. */
    long READ_BYTES_MAX = 4L << 20;

    /** Returns the monotonic time at the start of the turn, in nanoseconds. */
    long now();

    /**
     * Returns the wall clock at the start of the turn, in milliseconds. Use it only for stamps on disk, for
     * applications, and for a {@link ClockComparison}.
     */
    long wallMillis();

    /** Returns the only source of randomness. */
    RandomGenerator random();

    /** Returns this turn's changes to the store. Their keys begin with the protocol's channel. */
    StoreBatch store();

    /** Returns how many batches the store has that are not durable yet. */
    int storeBacklog();

    /**
     * Sends a message at the end of the turn. The body must not change afterwards.
     *
     * <p>Messages of this protocol reach a peer in order or not at all, except that urgent ones overtake others.
     * Messages of different protocols may overtake each other. A message that does not fit into this protocol's part
     * of the link's queue is dropped; {@link Peer#writable} tells beforehand. A message larger than a frame (64 KiB)
     * holds up everything that is not urgent, of all protocols, until it is sent.
     */
    void send(Peer to, int type, Slice body, boolean urgent);

    /**
     * Sends a message once this turn's batch and all batches before it are durable. Like everything that waits for
     * durability, this makes the store sync the batch, as far as {@link HostedProtocol#durability} asks for it.
     */
    default void sendWhenDurable(Peer to, int type, Slice body, boolean urgent) {
        store().requireDurable();
        sendWhenWritten(to, type, body, urgent);
    }

    /** Runs an action in a later turn, once this turn's batch is durable. */
    default void whenDurable(Later action) {
        store().requireDurable();
        whenWritten(action);
    }

    /** Tells the side of the application an event once this turn's batch is durable. */
    default void notifyWhenDurable(Object event) {
        store().requireDurable();
        notifyWhenWritten(event);
    }

    /**
     * Sends a message once this turn's batch and all batches before it are written. That costs no sync. A crash may
     * undo what is written, unless {@link StoreBatch#requireDurable} was called for it in this turn or an earlier
     * one.
     */
    void sendWhenWritten(Peer to, int type, Slice body, boolean urgent);

    /** Runs an action in a later turn, once this turn's batch is written. A crash may undo the batch. */
    void whenWritten(Later action);

    /** Tells the side of the application an event at the end of the turn. */
    void notify(Object event);

    /** Tells the side of the application an event once this turn's batch is written. A crash may undo the batch. */
    void notifyWhenWritten(Object event);

    /**
     * Reads keys of this protocol from {@code from} (inclusive) to {@code to} (exclusive), in order. The answer comes
     * in a later turn. It includes everything that was submitted up to this turn's batch, which may not be durable
     * yet. Answers come in the order of the reads. An answer holds at most {@link #READ_PAIRS_MAX} pairs, and about
     * {@link #READ_BYTES_MAX} bytes of values or a single larger one; {@link EntryStore.Pair#keyAfter} says where to
     * go on.
     *
     * @throws IllegalArgumentException if one of the keys is not of this protocol
     */
    void read(byte[] from, byte[] to, int pairsMax, long bytesMax, Scanned answer);

    /**
     * Reads the value of one key of this protocol, under the same conditions as a range.
     *
     * @throws IllegalArgumentException if the key is not of this protocol
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
     * Returns the peer of this name. If this node does not know it, the membership learns the name now, for example
     * from the owners of a stored entry. Such a peer is given up if it stays silent, so that it does not block others
     * for ever.
     */
    default Peer ensurePeer(NodeId id) {
        return Objects.requireNonNull(ensurePeer(id, null), "only a teller may be refused");
    }

    /**
     * Returns the peer of a name that another peer has told.
     *
     * @param teller who told it; null for this node
     * @return null if the teller may not decide over other nodes, and has told too many names of nodes that nobody
     *     has met
     */
    @Nullable
    Peer ensurePeer(NodeId id, @Nullable NodeId teller);

    /** An action in a later turn. */
    @FunctionalInterface
    interface Later {
        /** Called with the turn in which it runs. */
        void run(Turn turn);
    }

    /** Takes the answer to the read of one key. */
    @FunctionalInterface
    interface Found {
        /** Called with the value; null if there is none. */
        void run(@Nullable Slice value, Turn turn);
    }

    /** Takes the answer to the read of a range. */
    @FunctionalInterface
    interface Scanned {
        /** Called with the pairs in the order of their keys; {@code more} if a limit has cut the answer short. */
        void run(List<EntryStore.Pair> pairs, boolean more, Turn turn);
    }
}
