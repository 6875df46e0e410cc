package io.georep.funnel.ratis;

import io.georep.codec.MalformedException;
import io.georep.funnel.ViewMaster.Grant;
import io.georep.funnel.ViewMaster.Renewal;
import io.georep.funnel.core.LeaseClock;
import io.georep.funnel.core.LedgerEntry;
import io.georep.funnel.core.PeerAnswers;
import io.georep.funnel.core.ViewLeader;
import io.georep.funnel.core.ViewLedger;
import io.georep.funnel.core.ViewPolicy;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.exceptions.StateMachineException;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.MD5FileUtil;
import org.jspecify.annotations.Nullable;

/**
 * The replicated ledger of views. Every replica keeps a clock of leases beside it, so that whoever becomes the leader knows when the
 * last lease of a member has ended. Thread-safe.
 */
final class ViewStateMachine extends BaseStateMachine {
    private final SimpleStateMachineStorage storage = new SimpleStateMachineStorage();
    private final ViewLeader leader;
    private final ClientId self;
    private final LongSupplier clock;
    private final Seat seat;

    private ViewLedger ledger = new ViewLedger();

    /** The server that this is part of. */
    interface Seat {
        /** Whether it leads, and has applied everything that was in the log when its term began. */
        boolean isLeaderReady();

        /** Returns the newest term that it knows; -1 if it does not run. */
        long term();

        /** The views may have to change. Called outside any lock; must not block. */
        void lookSoon();
    }

    /**
     * Creates it.
     *
     * @param self who may propose changes: the leader's own timer
     * @param rateError of {@link LeaseClock}
     * @param clock monotonic, in nanoseconds
     */
    ViewStateMachine(
            ViewPolicy policy, ClientId self, long leaseNanos, double rateError, LongSupplier clock, Seat seat) {
        this.self = self;
        this.clock = clock;
        this.seat = seat;
        LeaseClock leases = new LeaseClock(rateError, leaseNanos, leaseNanos, clock.getAsLong());
        this.leader = new ViewLeader(policy, leaseNanos, leases);
    }

    static ByteString bytes(Slice slice) {
        return UnsafeByteOperations.unsafeWrap(slice.toArray());
    }

    static Slice slice(ByteString bytes) {
        return Slice.of(bytes.toByteArray());
    }

    /**
     * Returns the term in which this replica leads; -1 if it does not. The newest term of the server may be a later one, which has ended its
     * leadership though its role does not say so yet. But while it leads and is ready, the newest entry applied is of its own term.
     */
    private long ledTerm() {
        long term = getLastAppliedTermIndex().getTerm();
        if (!seat.isLeaderReady() || getLastAppliedTermIndex().getTerm() != term) {
            return -1;
        }
        leader.leads(term, ledger, clock.getAsLong());
        return term;
    }

    @Override
    public void notifyLeaderReady() {
        seat.lookSoon();
    }

    /** Returns what the leader should write into the log now; null for nothing, and if this is not the leader. */
    synchronized LedgerEntry.@Nullable Change next() {
        return ledTerm() < 0 ? null : leader.next(ledger, clock.getAsLong());
    }

    /** Returns why there is no view that serves, and what to do; null if nothing is wrong. */
    synchronized @Nullable String trouble() {
        return leader.trouble(ledger, clock.getAsLong());
    }

    /** Returns the founders for which the first view waits. */
    synchronized List<NodeId> awaited() {
        return leader.awaited(ledger, clock.getAsLong());
    }

    /** Waits until the node is no member and the others have begun the view without it, but not longer than this. */
    synchronized void awaitViewWithout(NodeId node, long atMostNanos) throws InterruptedException {
        long deadline = System.nanoTime() + atMostNanos;
        for (long left = atMostNanos;
                left > 0 && !ViewLeader.goesOnWithout(node, ledger);
                left = deadline - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    /** Returns the number of the newest view, 0 if there is none. */
    synchronized long view() {
        return ledger.number();
    }

    /** Returns of how many nodes the clock of leases knows. */
    synchronized int remembered() {
        return leader.remembered();
    }

    /** On the leader: what a node asks becomes an entry with the lease it may have, what its own timer proposes stays as it is. */
    @Override
    public TransactionContext startTransaction(RaftClientRequest request) {
        TransactionContext.Builder transaction =
                TransactionContext.newBuilder().setStateMachine(this).setClientRequest(request);
        try {
            Slice content = slice(request.getMessage().getContent());
            LedgerEntry entry = request.getClientId().equals(self) ? LedgerEntry.decode(content) : renew(content);
            return transaction.setLogData(bytes(entry.encode())).build();
        } catch (MalformedException e) {
            TransactionContext refused = transaction.build();
            refused.setException(e);
            return refused;
        }
    }

    private synchronized LedgerEntry renew(Slice question) {
        var renewal = MasterWire.readRequest(question);
        if (renewal == null) {
            LedgerEntry restore = leader.restoring(ledger, clock.getAsLong());
            if (restore == null) {
                throw new MalformedException("the order to restore a view cannot be carried out any more");
            }
            LOG.warn("{}: restores a view by order: {}", getId(), restore);
            return restore;
        }
        return leader.entry(renewal, ledger, clock.getAsLong());
    }

    /** A change of the view is looked at once more at the last moment: whoever was granted a lease meanwhile is not taken out. */
    @Override
    public TransactionContext preAppendTransaction(TransactionContext transaction) throws IOException {
        LedgerEntry entry = LedgerEntry.decode(slice(
                Objects.requireNonNull(transaction.getStateMachineLogEntry()).getLogData()));
        synchronized (this) {
            if (!(entry instanceof LedgerEntry.Renew)
                    && (ledTerm() < 0 || !leader.appends(entry, ledger, clock.getAsLong()))) {
                throw new StateMachineException("the views have changed meanwhile: " + entry, false);
            }
        }
        return transaction;
    }

    /** What the order to restore a view would do. */
    @Override
    public synchronized CompletableFuture<Message> query(Message request) {
        return CompletableFuture.completedFuture(
                Message.valueOf(bytes(MasterWire.restoration(leader.restore(ledger, clock.getAsLong())))));
    }

    /** What this peer answers to a question without an entry, whether it leads or not. */
    @Override
    public CompletableFuture<Message> queryStale(Message request, long minIndex) {
        Slice answer;
        try {
            answer = MasterWire.peerAnswer(answer(MasterWire.readQuestion(slice(request.getContent()))));
        } catch (MalformedException e) {
            return CompletableFuture.failedFuture(new StateMachineException(e.getMessage(), e));
        }
        return CompletableFuture.completedFuture(Message.valueOf(bytes(answer)));
    }

    synchronized PeerAnswers.Answer answer(Renewal renewal) {
        long led = ledTerm();
        return new PeerAnswers.Answer(
                seat.term(), led, led < 0 ? null : leader.answer(renewal, ledger, clock.getAsLong()));
    }

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
        LogEntryProto entry = transaction.getLogEntry();
        LedgerEntry decoded =
                LedgerEntry.decode(slice(entry.getStateMachineLogEntry().getLogData()));
        Slice answer;
        synchronized (this) {
            answer = apply(decoded);
            updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
        }
        seat.lookSoon();
        return CompletableFuture.completedFuture(Message.valueOf(bytes(answer)));
    }

    /** Under the lock. */
    Slice apply(LedgerEntry entry) {
        if (entry instanceof LedgerEntry.Renew renew) {
            Grant grant = leader.applied(renew, ledger, clock.getAsLong());
            notifyAll();
            return MasterWire.answer(grant);
        }
        boolean isNew = entry instanceof LedgerEntry.Change change
                ? ledger.apply(change)
                : ledger.apply((LedgerEntry.Restore) entry);
        leader.changed();
        notifyAll();
        if (isNew) {
            LOG.info("{}: {}", getId(), ledger.view());
        }
        return MasterWire.answer(new Grant(ledger.view(), Duration.ZERO, false));
    }

    @Override
    public void initialize(RaftServer server, RaftGroupId group, RaftStorage raftStorage) throws IOException {
        getLifeCycle()
                .startAndTransition(
                        () -> {
                            super.initialize(server, group, raftStorage);
                            storage.init(raftStorage);
                            load();
                        },
                        IOException.class);
    }

    /** Another replica has sent a snapshot: nothing is applied until {@link #reinitialize}. */
    @Override
    public void pause() {
        getLifeCycle().transition(LifeCycle.State.PAUSING);
        getLifeCycle().transition(LifeCycle.State.PAUSED);
    }

    @Override
    public void reinitialize() throws IOException {
        load();
        if (getLifeCycleState() == LifeCycle.State.PAUSED) {
            getLifeCycle().transition(LifeCycle.State.STARTING);
            getLifeCycle().transition(LifeCycle.State.RUNNING);
        }
    }

    private synchronized void load() throws IOException {
        SingleFileSnapshotInfo snapshot = storage.loadLatestSnapshot();
        if (snapshot != null) {
            Path file = snapshot.getFile().getPath();
            MD5Hash digest = snapshot.getFile().getFileDigest();
            if (digest != null) {
                MD5FileUtil.verifySavedMD5(file.toFile(), digest);
            }
            ledger = ViewLedger.decode(Slice.of(Files.readAllBytes(file)));
            setLastAppliedTermIndex(snapshot.getTermIndex());
        }
        leader.forget(ledger, clock.getAsLong());
    }

    /** Called between two entries, by the thread that applies them. */
    @Override
    public long takeSnapshot() throws IOException {
        TermIndex applied;
        Slice bytes;
        synchronized (this) {
            applied = getLastAppliedTermIndex();
            bytes = ledger.encode();
        }
        if (applied.getIndex() < 0) {
            return RaftLog.INVALID_LOG_INDEX;
        }
        Path file =
                storage.getSnapshotFile(applied.getTerm(), applied.getIndex()).toPath();
        Path unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
        try (FileChannel out = FileChannel.open(
                unfinished,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
            ByteBuffer left = ByteBuffer.wrap(bytes.array(), bytes.offset(), bytes.length());
            while (left.hasRemaining()) {
                out.write(left);
            }
            out.force(true);
        }
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        MD5Hash digest = MD5FileUtil.computeAndSaveMd5ForFile(file.toFile());
        storage.updateLatestSnapshot(new SingleFileSnapshotInfo(new FileInfo(file, digest), applied));
        return applied.getIndex();
    }

    @Override
    public SimpleStateMachineStorage getStateMachineStorage() {
        return storage;
    }
}
