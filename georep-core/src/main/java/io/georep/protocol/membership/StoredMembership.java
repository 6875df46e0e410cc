package io.georep.protocol.membership;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.Bound;
import io.georep.codec.MalformedException;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.Slice;
import io.georep.model.StoreException;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The membership's durable items and their keys.
 *
 * <pre>
 * 01 'I'       identity      u8 format | text id | varint incarnation | i64 generation
 * 01 'S'       stop record   u8 format | i64 lastAliveMillis | i64 returnAtMillis | u8 boot kind
 * 01 'D'       own drain     u8 format | varint version | u8 drained
 * 01 'C'       cluster       u8 format | i64 id | u8 settled
 * 01 'P' id    peer          u8 format | i64 wall clock of writing in ms | peer entry as on the wire
 * </pre>
 */
final class StoredMembership {
    private static final int FORMAT = 1;
    private static final byte[] IDENTITY_KEY = key('I');
    private static final byte[] STOP_KEY = key('S');
    private static final byte[] DRAIN_KEY = key('D');
    private static final byte[] CLUSTER_KEY = key('C');
    private static final byte[] SPACE_START = {MembershipProtocol.CHANNEL};
    private static final byte[] SPACE_END = {MembershipProtocol.CHANNEL + 1};

    /**
     * A stored line of the peer list.
     *
     * @param entry durations as they were when it was written
     * @param wallMillis when that was
     */
    record StoredPeer(PeerEntry entry, long wallMillis) {
        /** Returns what is left of a duration; all of it when the wall clock ran backwards. */
        long leftMillis(long durationMillis, long nowWallMillis) {
            return Math.max(0, durationMillis - Math.max(0, nowWallMillis - wallMillis));
        }
    }

    /** Incarnation of the previous boot, 0 in a new store. */
    long incarnation;

    long generation;
    long drainVersion;
    boolean drained;

    /** Id of the cluster, null when none was ever met. */
    @Nullable
    Long cluster;

    boolean settled;

    @Nullable
    StopRecord stop;

    final List<StoredPeer> peers = new ArrayList<>();

    /** Reads everything; the node's name must match. */
    static StoredMembership load(EntryStore store, NodeId expected) {
        StoredMembership loaded = new StoredMembership();
        store.scanNow(SPACE_START, SPACE_END, (key, value) -> {
            try {
                loaded.read(key, value, expected);
            } catch (MalformedException e) {
                throw new StoreException(
                        StoreException.Kind.CORRUPT,
                        "membership record '" + (char) key[1] + "' cannot be read: " + e.getMessage()
                                + "; restore the data directory, or empty it to start as a new store",
                        e);
            }
            return true;
        });
        return loaded;
    }

    private void read(byte[] key, Slice value, NodeId expected) {
        if (key.length < 2) {
            throw new StoreException(
                    StoreException.Kind.CORRUPT, "membership key of " + key.length + " bytes, at least 2 expected");
        }
        BinReader in = new BinReader(value);
        switch (key[1]) {
            case 'I' -> readIdentity(in, expected);
            case 'S' -> stop = StopRecord.decode(value);
            case 'D' -> {
                checkFormat(in.u8(), FORMAT, "drain record");
                drainVersion = MembershipBounds.DRAIN_VERSION.read(in);
                drained = in.u8() == 1;
            }
            case 'C' -> {
                checkFormat(in.u8(), FORMAT, "cluster record");
                cluster = in.i64();
                settled = in.u8() == 1;
            }
            case 'P' -> {
                checkFormat(in.u8(), FORMAT, "peer record");
                long wallMillis = in.i64();
                peers.add(new StoredPeer(PeerEntry.read(in), wallMillis));
            }
            default -> throw new MalformedException("unknown kind");
        }
    }

    private void readIdentity(BinReader in, NodeId expected) {
        checkFormat(in.u8(), FORMAT, "identity");
        NodeId id = in.node();
        if (!id.equals(expected)) {
            throw new StoreException(
                    StoreException.Kind.FOREIGN,
                    "the data directory belongs to node '" + id + "', this node is '" + expected
                            + "': give each node a data directory of its own, or correct the node id");
        }
        incarnation = Bound.INCARNATION.read(in);
        generation = in.i64();
    }

    static void checkFormat(int format, int known, String what) {
        if (format != known) {
            throw new MalformedException(what + " has format " + format + ", this version reads " + known);
        }
    }

    static void writeIdentity(NodeIdentity identity, StoreBatch batch) {
        BinWriter out = new BinWriter(96);
        out.u8(FORMAT).node(identity.id()).varint(identity.incarnation()).i64(identity.generation());
        batch.put(IDENTITY_KEY, out.toSlice());
    }

    static void writeStop(StopRecord stop, StoreBatch batch) {
        batch.put(STOP_KEY, stop.encode());
    }

    static void writeDrain(OwnNode own, StoreBatch batch) {
        BinWriter out = new BinWriter(16);
        out.u8(FORMAT).varint(own.drainVersion).u8(own.drained ? 1 : 0);
        batch.put(DRAIN_KEY, out.toSlice());
    }

    static void writeCluster(OwnNode own, StoreBatch batch) {
        BinWriter out = new BinWriter(16);
        out.u8(FORMAT).i64(own.cluster).u8(own.settled ? 1 : 0);
        batch.put(CLUSTER_KEY, out.toSlice());
    }

    static void writePeer(PeerRecord peer, long nowNanos, long wallMillis, StoreBatch batch) {
        BinWriter out = new BinWriter(160);
        out.u8(FORMAT).i64(wallMillis);
        peer.entry(nowNanos).write(out);
        batch.put(peerKey(peer.id), out.toSlice());
    }

    static void deletePeer(NodeId id, StoreBatch batch) {
        batch.delete(peerKey(id));
    }

    private static byte[] peerKey(NodeId id) {
        byte[] name = id.value().getBytes(StandardCharsets.US_ASCII);
        byte[] key = new byte[name.length + 2];
        key[0] = MembershipProtocol.CHANNEL;
        key[1] = 'P';
        System.arraycopy(name, 0, key, 2, name.length);
        return key;
    }

    private static byte[] key(char kind) {
        return new byte[] {MembershipProtocol.CHANNEL, (byte) kind};
    }
}
