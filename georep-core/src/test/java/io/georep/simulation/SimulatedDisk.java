package io.georep.simulation;

import io.georep.model.Durability;
import io.georep.model.Slice;
import io.georep.model.StoreException;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * The disk of one machine, which outlives the processes on it. Batches are applied when they are submitted and can be
 * undone, newest first, until a sync covers them: a crash leaves the effect of any prefix that includes everything
 * synced.
 */
public final class SimulatedDisk {
    /**
     * How slow the disk is.
     *
     * @param writeNanos shortest time of a write without sync
     * @param syncNanos shortest time of a write with sync
     * @param jitterNanos what either may take longer
     */
    public record Speed(long writeNanos, long syncNanos, long jitterNanos) {}

    /** A copy of the disk at some time, to start from once more. */
    public record Image(TreeMap<byte[], Value> pairs, long takenAtNanos) {
        /** Whether there is something with this key. */
        public boolean has(byte[] key) {
            return pairs.containsKey(key);
        }
    }

    /** A stored value and how often its key was set since it last did not exist. */
    record Value(Slice bytes, int sets) {}

    private record Undo(byte[] key, Value before) {}

    private record Written(StoreBatch batch, List<Undo> undo, long checksum) {}

    private final World world;
    private final String name;
    private final RandomGenerator random;
    private final ArrayDeque<Written> unsynced = new ArrayDeque<>();
    private final Speed usual;
    private Speed speed;
    private TreeMap<byte[], Value> pairs = new TreeMap<>(Arrays::compareUnsigned);
    private Store open;
    private int pairsMax = Integer.MAX_VALUE;
    private boolean full;
    private boolean writesHang;
    private boolean scansHang;
    private long hungUntil = -World.SECONDS;
    private boolean broken;
    private long submitted;
    private long completed;
    private long synced;
    private long survived;

    SimulatedDisk(World world, String name, RandomGenerator random, Speed speed) {
        this.world = world;
        this.name = name;
        this.random = random;
        this.usual = speed;
        this.speed = speed;
    }

    /** The store of the next process on this machine. */
    EntryStore open() {
        if (open != null) {
            throw new IllegalStateException("the disk of " + name + " is in use by a process that was not stopped");
        }
        submitted = 0;
        completed = 0;
        synced = 0;
        broken = false;
        open = new Store();
        return open;
    }

    /** Batches submitted in this boot. */
    long submitted() {
        return submitted;
    }

    /** Number of the last batch of this boot that a crash cannot undo. */
    long synced() {
        return synced;
    }

    /** Number of the last batch of the process that crashed last which is still there. */
    long survived() {
        return survived;
    }

    /**
     * The pairs with keys from {@code from} to {@code to}, both inclusive, that a crash at this moment could not take
     * away, the highest key first.
     */
    public Stream<EntryStore.Pair> surviving(byte[] from, byte[] to) {
        TreeMap<byte[], Value> undone = new TreeMap<>(Arrays::compareUnsigned);
        for (Written written : unsynced) {
            for (Undo undo : written.undo) {
                undone.putIfAbsent(undo.key, undo.before);
            }
        }
        return Stream.concat(
                        pairs.subMap(from, true, to, true).descendingMap().entrySet().stream()
                                .filter(pair -> !undone.containsKey(pair.getKey())),
                        undone.subMap(from, true, to, true).descendingMap().entrySet().stream()
                                .filter(pair -> pair.getValue() != null))
                .map(pair -> new EntryStore.Pair(pair.getKey(), pair.getValue().bytes));
    }

    /** Reads answer so many pairs at most. */
    void pairsMax(int pairs) {
        pairsMax = pairs;
    }

    /** Changes how slow the disk is. */
    public void speed(Speed changed) {
        speed = changed;
    }

    /** The process is gone; of the batches no sync covers yet, a random prefix survives. */
    void crash() {
        open = null;
        keep(unsynced.isEmpty() ? 0 : random.nextInt(unsynced.size() + 1));
    }

    private void keep(int batches) {
        survived = synced + batches;
        int lost = unsynced.size() - batches;
        world.trace().note(world.now(), "lose", name, null, lost + " unsynced batches", lost);
        while (unsynced.size() > batches) {
            List<Undo> undo = unsynced.removeLast().undo;
            for (int i = undo.size() - 1; i >= 0; i--) {
                set(pairs, undo.get(i).key, undo.get(i).before);
            }
        }
        unsynced.clear();
    }

    /** A copy of what a crash at this moment could not take away. */
    public Image image() {
        TreeMap<byte[], Value> copy = new TreeMap<>(pairs);
        for (var written = unsynced.descendingIterator(); written.hasNext(); ) {
            List<Undo> undo = written.next().undo;
            for (int i = undo.size() - 1; i >= 0; i--) {
                set(copy, undo.get(i).key, undo.get(i).before);
            }
        }
        return new Image(copy, world.now());
    }

    /** Puts an old image back while no process runs. */
    void restore(Image image) {
        requireClosed();
        pairs = new TreeMap<>(image.pairs);
    }

    /** Empties the disk while no process runs. */
    void wipe() {
        requireClosed();
        pairs.clear();
    }

    private void requireClosed() {
        if (open != null) {
            throw new IllegalStateException("the disk of " + name + " is in use");
        }
    }

    /** Fills the disk up, or makes space again. */
    public void full(boolean isFull) {
        if (full == isFull) {
            return;
        }
        full = isFull;
        if (open != null && open.listener != null) {
            open.sayFull();
            open.work();
        }
    }

    /** Lets writes, reads or both wait without a word, or lets what waits go on. */
    public void hang(boolean writes, boolean scans) {
        boolean saidNothing = writesHang && !writes;
        if (writesHang || scansHang) {
            hungUntil = world.now();
        }
        writesHang = writes;
        scansHang = scans;
        if (open != null && open.listener != null) {
            if (saidNothing) {
                open.listener.full(full);
            }
            open.goOn();
        }
    }

    /** Reports an error to the running process, after which nothing completes any more for it. */
    public void breakDown() {
        if (open != null && open.listener != null && !broken) {
            broken = true;
            open.listener.failed(
                    new StoreException(StoreException.Kind.IO, "disk of " + name + ": input/output error"));
        }
    }

    /** Everything about the disk is as usual again. */
    public void mend() {
        hang(false, false);
        full(false);
        speed = usual;
    }

    /** A process gives this disk up: wrong unless it hangs, did so until just now, or reported an error. */
    void givenUp(StoreException cause) {
        if (!writesHang && !scansHang && !broken && world.now() > hungUntil + World.SECONDS) {
            throw cause;
        }
    }

    private static void set(Map<byte[], Value> target, byte[] key, Value value) {
        if (value == null) {
            target.remove(key);
        } else {
            target.put(key, value);
        }
    }

    private List<Undo> apply(StoreBatch batch) {
        List<Undo> undo = new ArrayList<>();
        for (StoreBatch.Op op : batch.ops()) {
            switch (op.kind()) {
                case PUT -> {
                    Value before = pairs.get(op.key());
                    pairs.put(op.key(), new Value(op.value(), before == null ? 1 : before.sets + 1));
                    undo.add(new Undo(op.key(), before));
                }
                case DELETE -> undo.add(new Undo(op.key(), pairs.remove(op.key())));
                case DELETE_ONCE -> {
                    Value before = pairs.remove(op.key());
                    if (before != null && before.sets > 1) {
                        throw new AssertionError(name + ": DELETE_ONCE of key " + Arrays.toString(op.key())
                                + ", which was set " + before.sets + " times");
                    }
                    undo.add(new Undo(op.key(), before));
                }
                case DELETE_RANGE -> {
                    NavigableMap<byte[], Value> range =
                            pairs.subMap(op.key(), true, op.value().toArray(), false);
                    range.forEach((key, value) -> undo.add(new Undo(key, value)));
                    range.clear();
                }
            }
        }
        return undo;
    }

    /** The store as one process sees it. */
    private final class Store implements EntryStore {
        private Listener listener;
        private final ArrayDeque<Runnable> heldUp = new ArrayDeque<>();
        private boolean busy;

        @Override
        public void scanNow(byte[] from, byte[] to, Visitor visitor) {
            for (Map.Entry<byte[], Value> pair :
                    pairs.subMap(from, true, to, false).entrySet()) {
                if (!visitor.pair(pair.getKey(), pair.getValue().bytes)) {
                    return;
                }
            }
        }

        @Override
        public void start(Listener told) {
            listener = told;
            if (full) {
                sayFull();
            }
        }

        private void sayFull() {
            if (open == this && !writesHang) {
                listener.full(full);
            }
            if (open == this && full) {
                world.after(World.SECONDS, this::sayFull);
            }
        }

        @Override
        public void submit(StoreBatch batch) {
            long checksum = world.trace().checksum(batch);
            unsynced.add(new Written(batch, apply(batch), checksum));
            submitted++;
            world.trace()
                    .note(world.now(), "batch", name, submitted, batch.ops().size() + " ops", checksum);
            work();
        }

        /** Takes everything that waits, as the thread of a real store does: one sync for all of it. */
        private void work() {
            if (busy || full || writesHang || broken || completed == submitted || listener == null) {
                return;
            }
            busy = true;
            long last = submitted;
            boolean sync = false;
            long number = synced;
            for (Written written : unsynced) {
                number++;
                sync |= number > completed && written.batch.required() == Durability.FSYNC;
            }
            boolean withSync = sync;
            long nanos = (sync ? speed.syncNanos : speed.writeNanos)
                    + (speed.jitterNanos == 0 ? 0 : random.nextLong(speed.jitterNanos));
            world.after(nanos, () -> complete(last, withSync));
        }

        private void complete(long last, boolean withSync) {
            if (open != this) {
                return;
            }
            busy = false;
            if (full || writesHang || broken) {
                // The write hit the wall; it is tried again when the disk can.
                return;
            }
            completed = last;
            while (withSync && synced < last) {
                Written written = unsynced.remove();
                synced++;
                if (world.trace().checksum(written.batch) != written.checksum) {
                    throw new AssertionError(name + ": batch " + synced + " was changed after it was submitted");
                }
            }
            world.trace().note(world.now(), withSync ? "synced" : "written", name, last, null, last);
            listener.durable(last);
            work();
        }

        @Override
        public void scan(long token, byte[] from, byte[] to, int wanted, long bytesMax) {
            List<Pair> answer = new ArrayList<>();
            long bytes = 0;
            boolean more = false;
            for (Map.Entry<byte[], Value> pair :
                    pairs.subMap(from, true, to, false).entrySet()) {
                bytes += pair.getValue().bytes.length();
                if (!answer.isEmpty() && (answer.size() >= Math.min(wanted, pairsMax) || bytes > bytesMax)) {
                    more = true;
                    break;
                }
                answer.add(new Pair(pair.getKey(), pair.getValue().bytes));
            }
            boolean cut = more;
            long nanos = speed.writeNanos + (speed.jitterNanos == 0 ? 0 : random.nextLong(speed.jitterNanos));
            world.after(nanos, () -> answer(() -> listener.scanned(token, answer, cut)));
        }

        private void answer(Runnable answer) {
            if (scansHang) {
                heldUp.add(answer);
            } else if (open == this && !broken) {
                answer.run();
            }
        }

        private void goOn() {
            if (!scansHang) {
                heldUp.forEach(this::answer);
                heldUp.clear();
            }
            work();
        }

        @Override
        public void close() {
            if (open == this) {
                open = null;
                survived = submitted;
                unsynced.clear();
            }
        }
    }
}
