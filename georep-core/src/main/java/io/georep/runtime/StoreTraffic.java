package io.georep.runtime;

import io.georep.model.BrokenInvariantException;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is under way between a loop and its store: batches, what waits for each of them, and reads. */
final class StoreTraffic {
    /** What something that waits costs on the heap besides its bytes. */
    private static final int WAITING_OVERHEAD_BYTES = 160;

    /** What waits for one batch. */
    static final class Pending {
        final long batchNumber;
        final List<Deferred> messages = new ArrayList<>();
        final List<Action> actions = new ArrayList<>();
        final List<Object> events = new ArrayList<>();

        Pending(long batchNumber) {
            this.batchNumber = batchNumber;
        }

        /** About as much memory as all this takes. */
        long heldBytes() {
            long bytes = (long) WAITING_OVERHEAD_BYTES * (messages.size() + actions.size() + events.size());
            for (Deferred deferred : messages) {
                bytes += deferred.message.body().array().length;
            }
            return bytes;
        }
    }

    /** Work of a protocol that waits. */
    record Action(Turn turn, Turn.Later work) {
        void run() {
            work.run(turn);
        }
    }

    /** What a protocol reads. */
    record Read(Turn turn, Turn.Scanned answer) {
        void run(List<EntryStore.Pair> pairs, boolean more) {
            answer.run(pairs, more, turn);
        }
    }

    /** A message that waits. */
    record Deferred(Peer to, FrameAssembler.Message message, boolean urgent) {}

    private final EntryStore store;
    private final StoreWatch watch;
    private final ArrayDeque<Pending> pending = new ArrayDeque<>();
    private final Map<Long, Read> reads = new HashMap<>();
    private final List<Runnable> scans = new ArrayList<>();
    private StoreBatch batch = new StoreBatch();
    private @Nullable Pending dependent;
    private long submitted;
    private long durable;
    private long scanToken;

    StoreTraffic(EntryStore store, StoreWatch watch) {
        this.store = store;
        this.watch = watch;
    }

    /** This turn's batch. */
    StoreBatch batch() {
        return batch;
    }

    /** Returns what waits for this turn's batch. The batch is submitted even if it is empty. */
    Pending dependent() {
        if (dependent == null) {
            dependent = new Pending(submitted + 1);
        }
        return dependent;
    }

    /** Batches handed over and not yet durable. */
    long backlog() {
        return submitted - durable;
    }

    /** Reads at the end of this turn. */
    void read(byte[] from, byte[] to, int pairsMax, long bytesMax, Read answer) {
        long token = ++scanToken;
        reads.put(token, answer);
        watch.asked();
        scans.add(() -> store.scan(token, from, to, pairsMax, bytesMax));
    }

    /** Returns what this answer is for; null if nothing waits for it. */
    @Nullable
    Read scanned(long token) {
        Read answer = reads.remove(token);
        if (answer != null) {
            watch.answered();
        }
        return answer;
    }

    /** A batch is durable, with all before it. */
    void durable(long batchNumber) {
        BrokenInvariantException.require(
                batchNumber <= submitted,
                "the store calls batch " + batchNumber + " durable, which it does not have",
                this);
        durable = Math.max(durable, batchNumber);
        watch.durable(durable);
    }

    @Override
    public String toString() {
        return "store with " + submitted + " batches, " + durable + " of them durable, and " + reads.size() + " reads";
    }

    /** Removes and returns the next thing whose batch is done; null if all that is left has to wait. */
    @Nullable
    Pending nextReady() {
        Pending first = pending.peek();
        return first == null || first.batchNumber > durable ? null : pending.remove();
    }

    /** End of a turn: hands over its batch, if anything is in it or waits for it, then its reads. */
    void submit() {
        Pending waiting = dependent;
        dependent = null;
        if (!batch.isEmpty() || batch.isDurableRequired() || waiting != null) {
            store.submit(batch);
            submitted++;
            long held = batch.heldBytes() + (waiting == null ? 0 : waiting.heldBytes());
            watch.submitted(batch.valueBytes(), held, batch.isDurableRequired());
            batch = new StoreBatch();
        }
        if (waiting != null) {
            pending.add(waiting);
        }
        scans.forEach(Runnable::run);
        scans.clear();
    }
}
