package io.georep.keys.core;

import io.georep.codec.BinReader;
import io.georep.keys.KeyBatch;
import io.georep.keys.KeySpaceSettings;
import io.georep.keys.KeySpaceStatistics;
import io.georep.model.GeoRepException;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.RejectedException;
import io.georep.model.RejectedException.Reason;
import io.georep.model.Slice;
import io.georep.model.StoreState;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The protocol of key spaces. The records of a local space are in the store and the memory of one node. Those of a replicated
 * space are on every node. Of two writes to one key, the one with the greater {@link KeyVersion} wins. A write completes when
 * f other nodes have confirmed it ({@link ReplicatedWrites}). The other nodes get it soon afterwards ({@link Spreading}), or
 * when nodes compare their records ({@link Comparison}). A deletion is kept for some time ({@link KeyTable}).
 */
public final class KeyProtocol implements HostedProtocol<KeyCommand> {
    /** Number of this protocol in the envelope and first byte of its keys. */
    public static final int CHANNEL = KeyLayout.CHANNEL;

    /** Version of its messages. */
    public static final int VERSION = 1;

    /** What a node announces of it. */
    public static final ProtocolId ID = new ProtocolId(CHANNEL, "keys", VERSION);

    private final KeyContext context;
    private final KeyReads reads;
    private final Spreading spreading;
    private final ReplicatedWrites writes;
    private final Comparison comparison;

    private long tickAt;

    public KeyProtocol(KeySpaceSettings settings, Peers peers) {
        context = new KeyContext(settings, peers);
        reads = new KeyReads(context);
        spreading = new Spreading(context);
        writes = new ReplicatedWrites(context, spreading);
        comparison = new Comparison(context);
    }

    @Override
    public ProtocolId id() {
        return ID;
    }

    @Override
    public boolean knows(int type) {
        return type >= KeyMessages.PUT && type <= KeyMessages.TELL;
    }

    @Override
    public void boot(EntryStore store, Turn turn) {
        // A later boot wins over an earlier one; the rest tells apart boots whose number is the same, after a loss.
        long incarnation = Math.min(context.peers.self().incarnation(), Integer.MAX_VALUE);
        long number = (incarnation << Integer.SIZE) | (turn.random().nextLong() >>> Integer.SIZE);
        context.table.boot(store, context.self(), number, turn);
        context.local.boot(store);
        writes.boot(number);
        comparison.boot(turn);
        tickAt = turn.now();
    }

    @Override
    public void onCommand(KeyCommand command, Turn turn) {
        if (command instanceof KeyCommand.Calls calls) {
            for (KeyCommand call : calls.calls()) {
                call(call, turn);
            }
        } else {
            call(command, turn);
        }
    }

    private void call(KeyCommand call, Turn turn) {
        if (call instanceof KeyCommand.Write write) {
            write(write, turn);
        } else if (call instanceof KeyCommand.Get get) {
            reads.get(get, turn);
        } else if (call instanceof KeyCommand.Scan scan) {
            reads.scan(scan, turn);
        } else if (call instanceof KeyCommand.CatchUp wanted) {
            comparison.catchUp(wanted, turn);
        } else if (call instanceof KeyCommand.ReadStatistics read) {
            turn.notify(new KeyEvent.Statistics(read.token(), statistics()));
        } else {
            throw new IllegalArgumentException("not a command of the key spaces: " + call);
        }
    }

    private void write(KeyCommand.Write write, Turn turn) {
        GeoRepException refusal = refusal(write, turn);
        if (refusal != null) {
            context.failed++;
            turn.notify(new KeyEvent.Failed(List.of(write.token()), refusal));
            return;
        }
        if (write.space().replicated()) {
            writes.write(write, turn);
            return;
        }
        String space = write.space().name();
        for (KeyBatch.Change change : write.changes()) {
            byte[] value = change.value();
            if (value == null) {
                context.local.delete(space, change.key(), turn);
            } else {
                context.local.put(space, change.key(), value, turn);
            }
        }
        writes.written(write.token(), turn);
    }

    private @Nullable GeoRepException refusal(KeyCommand.Write write, Turn turn) {
        if (context.peers.leaving()) {
            return new RejectedException(
                    Reason.LEAVING, "node " + context.self() + " is leaving: write on another node");
        }
        if (!context.store.takesEntries()) {
            return new RejectedException(
                    context.storeReason(),
                    "the store of node " + context.self() + " takes nothing, it is " + context.store);
        }
        GeoRepException full = overBounds(write);
        if (full != null) {
            return full;
        }
        int selectable = write.f() == 0 ? 0 : context.candidates.count(write.f(), turn.now());
        return selectable >= write.f()
                ? null
                : new RejectedException(
                        Reason.TOO_FEW_PEERS,
                        "f is " + write.f() + ", but only " + selectable + " other nodes can confirm a write now");
    }

    /** Always takes deletions of existing keys; otherwise nobody could make room. */
    private @Nullable GeoRepException overBounds(KeyCommand.Write write) {
        long records = context.table.records() + context.local.records();
        long bytes = context.table.bytes() + context.local.bytes();
        boolean grows = false;
        for (KeyBatch.Change change : write.changes()) {
            int before = bytesBefore(write.space(), change.key());
            byte[] value = change.value();
            int after = value == null ? Math.min(before, change.key().length) : change.key().length + value.length;
            grows |= after > before;
            records += before == 0 && after > 0 ? 1 : 0;
            bytes += after - before;
        }
        KeySpaceSettings settings = context.settings;
        if (!grows || (records <= settings.recordsMax() && bytes <= settings.bytesMax())) {
            return null;
        }
        return new RejectedException(
                Reason.STORE_FULL,
                "the key spaces of node " + context.self() + " would hold " + records + " records with " + bytes
                        + " bytes, allowed are " + settings.recordsMax() + " (recordsMax) with " + settings.bytesMax()
                        + " (bytesMax); " + context.table.marks()
                        + " of the records are marks of deletions, each kept for " + settings.deletionsKept()
                        + " (deletionsKept): write fewer keys, or raise the bounds on all nodes");
    }

    private int bytesBefore(KeyCommand.Space space, byte[] key) {
        if (!space.replicated()) {
            return context.local.bytesOf(space.name(), key);
        }
        StoredKey record = context.table.find(space.name(), key);
        return record == null ? 0 : record.bytes();
    }

    @Override
    public void onMessage(Peer from, int type, BinReader body, Turn turn) {
        KeyMessages.Head head = KeyMessages.Head.read(body);
        switch (type) {
            case KeyMessages.PUT -> {
                KeyMessages.Put put = KeyMessages.Put.read(body);
                context.heard(head, body);
                put(from, put, turn);
            }
            case KeyMessages.ACK -> {
                KeyMessages.Ack ack = KeyMessages.Ack.read(body);
                context.heard(head, body);
                writes.acknowledged(from, ack, turn);
            }
            case KeyMessages.RECORDS -> {
                List<KeyRecord> records = KeyMessages.readRecords(body);
                context.heard(head, body);
                takeAll(records, turn);
            }
            case KeyMessages.ASK -> comparison.asked(from, head, body, turn);
            case KeyMessages.TELL -> comparison.told(from, head, body, turn);
            default -> throw new IllegalStateException("no message of the key spaces: type " + type);
        }
    }

    private void put(Peer from, KeyMessages.Put put, Turn turn) {
        int status = KeyMessages.STORED;
        if (!context.store.takesEntries()) {
            status = KeyMessages.REFUSED;
        } else if (!put.isFinal() && put.records().stream().anyMatch(this::isOutdated)) {
            status = KeyMessages.OUTDATED;
        } else {
            takeAll(put.records(), turn);
        }
        Slice ack = KeyMessages.ack(context.table, put.request(), status);
        if (status == KeyMessages.STORED) {
            turn.sendWhenDurable(from, KeyMessages.ACK, ack, true);
        } else {
            // Refused at once and without waiting for the disk, which may take nothing for long, so that the writer can
            // ask another node.
            turn.send(from, KeyMessages.ACK, ack, true);
        }
    }

    /**
     * Returns whether another node wrote this key later; or, if the writer has no such key, anybody did, the writer
     * itself before it forgot its deletion.
     */
    private boolean isOutdated(KeyRecord record) {
        StoredKey present = context.table.find(record.space(), record.key());
        return present != null
                && context.table.judge(record) == KeyTable.Taken.OLDER
                && (record.isOfAbsent()
                        || present.version.boot() != record.version().boot()
                        || !present.version.node().equals(record.version().node()));
    }

    private void takeAll(List<KeyRecord> records, Turn turn) {
        if (context.store.takesEntries()) {
            for (KeyRecord record : records) {
                if (context.table.take(record, turn) == KeyTable.Taken.NEW) {
                    context.taken++;
                }
            }
        }
    }

    @Override
    public void onPeerChanged(Peer peer, PeerState before, Turn turn) {
        context.candidates.outdate();
    }

    @Override
    public void onPeerReachable(Peer peer, Turn turn) {
        context.candidates.outdate();
        writes.peerReachable(peer, turn);
        comparison.with(peer, turn);
    }

    @Override
    public void onPeerForgotten(NodeId id) {
        comparison.forget(id);
    }

    @Override
    public void onStoreState(StoreState state, Turn turn) {
        context.store = state;
    }

    @Override
    public void onTimer(Turn turn) {
        tickAt = turn.now() + context.settings.spreadEvery().toNanos();
        writes.tick(turn);
        reads.tick(turn);
        spreading.tick(turn);
        comparison.tick(turn);
        context.table.dropMarks(turn);
    }

    @Override
    public long nextDeadlineNanos() {
        boolean isIdle = writes.isIdle() && reads.isIdle() && spreading.isIdle() && comparison.isIdle();
        long seldom = Math.min(comparison.nextDeadlineNanos(), context.table.nextDropNanos());
        return isIdle ? Math.max(tickAt, seldom) : tickAt;
    }

    @Override
    public void endOfTurn(Turn turn) {
        writes.endOfTurn(turn);
        context.table.check();
    }

    /** For tests: what the parts share. */
    KeyContext context() {
        return context;
    }

    /** For tests: the writes that wait. */
    ReplicatedWrites writes() {
        return writes;
    }

    private KeySpaceStatistics statistics() {
        int deleted = context.table.marks();
        return new KeySpaceStatistics(
                context.table.records() - deleted + context.local.records(),
                context.table.bytes() + context.local.bytes(),
                deleted,
                context.written,
                context.failed,
                context.taken,
                writes.waiting());
    }
}
