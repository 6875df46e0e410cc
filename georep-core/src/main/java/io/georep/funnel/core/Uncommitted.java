package io.georep.funnel.core;

import io.georep.funnel.core.messages.FunnelLayout;
import io.georep.funnel.core.messages.Runs;
import io.georep.funnel.core.messages.WriteId;
import io.georep.model.BrokenInvariantException;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The writes that this node holds and does not know to be committed. Those of the present view are found by head and counter, those
 * of older views by their place in the list with which the view began. While the members compare what they hold, all are found by name.
 */
final class Uncommitted {
    /**
     * The order in which messages name writes as ranges. By stamps, the writes of heads that write at the same time would
     * alternate, and ranges would be short.
     */
    private static final Comparator<Write> BY_NAME = Comparator.comparingLong((Write write) -> write.view)
            .thenComparing(write -> write.head)
            .thenComparingLong(write -> write.counter);

    private final FunnelContext context;
    private HeadLog[] logs = new HeadLog[0];

    /** What the view began with, in the order in which that was told; null where it is done. */
    private @Nullable Write[] carried = new Write[0];

    /** Writes of older views by name. */
    private final Map<WriteId, Write> old = new LinkedHashMap<>();

    /** Groups that were stored in this turn. */
    private List<UncommittedGroup> fresh = new ArrayList<>();

    private long nextSerial;
    private int size;
    private long dirtyKeys;

    Uncommitted(FunnelContext context) {
        this.context = context;
    }

    /** Reads what was not committed; needs the tables. */
    void boot(EntryStore store, Turn turn) {
        store.scanNow(FunnelLayout.first('D'), FunnelLayout.behind('D'), (place, encoded) -> {
            long serial = FunnelLayout.serial(place);
            nextSerial = Math.max(nextSerial, serial + 1);
            List<Write> writes = GroupCodec.read(Slice.of(encoded.toArray()));
            UncommittedGroup group = writes.get(0).group;
            group.serial = serial;
            group.isDurable = true;
            group.takenAt = turn.now();
            for (Write write : writes) {
                context.heardClock(write.clock);
                if (!old.containsKey(write.id()) && !isSettled(write)) {
                    write.ofOlderView();
                    add(write);
                    old.put(write.id(), write);
                }
            }
            if (group.live == 0) {
                context.store(turn).delete(place.clone());
            }
            return true;
        });
    }

    int size() {
        return size;
    }

    /** Requires what always holds for its counters. */
    void check() {
        boolean fits = dirtyKeys >= 0 && dirtyKeys <= size && old.size() <= size;
        BrokenInvariantException.require(fits, "each dirty key has a write", this);
        BrokenInvariantException.require((dirtyKeys == 0) == (size == 0), "each write makes its key dirty", this);
    }

    /** Returns what it counts. */
    @Override
    public String toString() {
        return size + " uncommitted writes of " + dirtyKeys + " keys, " + old.size() + " of them of older views";
    }

    long dirtyKeys() {
        return dirtyKeys;
    }

    HeadLog log(int rank) {
        return logs[rank];
    }

    /** Returns what the view began with and is not done, in the order of stamps. */
    List<Write> carried() {
        return Arrays.stream(carried).filter(Objects::nonNull).sorted().toList();
    }

    /** Takes the groups that were stored since the last call. */
    List<UncommittedGroup> takeFresh() {
        if (fresh.isEmpty()) {
            return List.of(); // not the list itself: what comes into it later is not part of this turn
        }
        List<UncommittedGroup> taken = fresh;
        fresh = new ArrayList<>();
        return taken;
    }

    boolean hasFresh() {
        return !fresh.isEmpty();
    }

    /** Finds a write of the present view; null if it is not here, or done. */
    @Nullable
    Write find(int code, long index) {
        if (code == 0) {
            return index < carried.length ? carried[(int) index] : null;
        }
        return code <= logs.length ? logs[code - 1].get(index) : null;
    }

    /** Returns whether a write of the present view is done here. */
    boolean isDone(int code, long index) {
        if (code == 0) {
            return index < carried.length && carried[(int) index] == null;
        }
        return code <= logs.length && logs[code - 1].isDone(index);
    }

    @Nullable
    Write find(WriteId id) {
        int rank = id.view() == context.viewNumber() ? context.rankOf(id.head()) : -1;
        return rank >= 0 && rank < logs.length ? logs[rank].get(id.counter()) : old.get(id);
    }

    boolean isSettled(Write write) {
        Cell cell = context.tables.find(write.key());
        return cell != null && cell.isSettled(write);
    }

    /**
     * Takes writes of the present view, and stores them.
     *
     * @param rank of their head
     */
    void take(List<Write> writes, int rank, Turn turn) {
        HeadLog log = logs[rank];
        List<Write> run = new ArrayList<>(writes.size());
        for (Write write : writes) {
            if (log.get(write.counter) == null && !log.isDone(write.counter)) {
                run.add(write);
            } else {
                takeNew(run, rank, turn);
                run.clear();
            }
        }
        takeNew(run, rank, turn);
    }

    /**
     * Stored as a group of their own: a record in the store must not hold writes that were done when it came, see {@link
     * #leastClock}.
     */
    private void takeNew(List<Write> run, int rank, Turn turn) {
        if (run.isEmpty()) {
            return;
        }
        Write first = run.get(0);
        List<Write> writes = run;
        if (run.size() < first.group.count) {
            List<Slice> encoded =
                    run.stream().map(write -> write.content.encoded()).toList();
            writes = GroupCodec.read(
                    GroupCodec.group(first.view, first.head, first.counter, first.clock, encoded).encoded);
        }
        for (Write write : writes) {
            logs[rank].reach(write.counter);
            context.heardClock(write.clock);
            write.inLog(rank);
            add(write);
            logs[rank].put(write);
        }
        store(writes.get(0).group, turn);
    }

    /** Takes writes of older views, those that are wanted, and stores them. */
    boolean takeOld(List<Write> writes, Collection<WriteId> wanted, Turn turn) {
        for (Write write : writes) {
            if (wanted.contains(write.id()) && !old.containsKey(write.id())) {
                context.heardClock(write.clock);
                write.ofOlderView();
                add(write);
                old.put(write.id(), write);
            }
        }
        return store(writes.get(0).group, turn);
    }

    private void add(Write write) {
        Cell known = write.knownCell();
        Cell cell = known == null ? context.tables.cell(write.key()) : known;
        write.taken(cell);
        if (!cell.isDirty()) {
            dirtyKeys++;
            context.shown.changed(cell);
        }
        cell.add(write);
        write.group.live++;
        size++;
    }

    private boolean store(UncommittedGroup group, Turn turn) {
        if (group.live == 0) {
            return false;
        }
        group.serial = nextSerial++;
        group.takenAt = turn.now();
        if (context.isVolatile) {
            context.late.put(group, turn);
        } else {
            StoreBatch batch = context.store(turn);
            batch.put(FunnelLayout.groupPlace(group.serial), group.encoded);
            batch.requireDurable();
        }
        fresh.add(group);
        return true;
    }

    /** Takes a write out that is done. */
    void remove(Write write, Turn turn) {
        if (write.isGone()) {
            return;
        }
        write.gone();
        Cell cell = write.cell();
        cell.remove(write);
        if (!cell.isDirty()) {
            dirtyKeys--;
            context.shown.changed(cell);
        }
        size--;
        if (write.own() != null) {
            context.own.remove(cell, write.own());
        }
        if (--write.group.live == 0) {
            context.late.delete(write.group, turn);
        }
        if (write.code() > 0) {
            logs[write.code() - 1].done(write.index());
        } else {
            old.remove(write.id());
            if (write.index() < carried.length && carried[(int) write.index()] == write) {
                carried[(int) write.index()] = null;
            }
        }
    }

    /** Returns everything that is held, by name. */
    List<Write> all() {
        List<Write> all = new ArrayList<>(old.values());
        for (HeadLog log : logs) {
            for (long counter = log.base(); counter < log.end(); counter++) {
                Write write = log.get(counter);
                if (write != null) {
                    all.add(write);
                }
            }
        }
        all.sort(BY_NAME);
        return all;
    }

    /** A new view begins with comparing: all writes are of older views now. */
    void beginFlush() {
        List<Write> all = all();
        logs = new HeadLog[0];
        carried = new Write[0];
        old.clear();
        for (Write write : all) {
            write.ofOlderView();
            old.put(write.id(), write);
        }
    }

    /** The view begins with these, in this order; returns those that are not among them. */
    List<Write> activate(List<WriteId> ids) {
        carried = new Write[ids.size()];
        for (int i = 0; i < ids.size(); i++) {
            Write write = old.get(ids.get(i));
            carried[i] = write;
            if (write != null) {
                write.carried(i);
            }
        }
        List<Write> others = new ArrayList<>();
        for (Write write : old.values()) {
            if (write.index() == Write.NO_PLACE) {
                others.add(write);
            }
        }
        logs = new HeadLog[context.size()];
        for (int rank = 0; rank < logs.length; rank++) {
            logs[rank] = new HeadLog();
        }
        return others;
    }

    /** Returns when the oldest write was taken in; {@link Long#MAX_VALUE} if there is none. */
    long oldest() {
        long oldest = Long.MAX_VALUE;
        if (!old.isEmpty()) {
            oldest = old.values().iterator().next().group.takenAt;
        }
        for (HeadLog log : logs) {
            Write first = log.first(); // those before it may be missing
            if (first != null) {
                oldest = Math.min(oldest, first.group.takenAt);
            }
        }
        return oldest;
    }

    /**
     * No group in the store has a write with a smaller clock. A group stays until the last of its writes is done, and after a
     * restart only the key's newer stamp tells that the others were.
     */
    long leastClock() {
        long least = Long.MAX_VALUE;
        for (Write write : old.values()) {
            least = Math.min(least, write.group.firstClock);
        }
        for (HeadLog log : logs) {
            Write first = log.first();
            if (first != null) {
                least = Math.min(least, first.group.firstClock);
            }
        }
        return least;
    }

    /** Ids of about so many writes, the oldest of each head: each has its share, for it may be the one for which all others wait. */
    List<WriteId> ids(int most) {
        List<WriteId> ids = new ArrayList<>();
        int share = Math.max(1, most / (logs.length + 1));
        for (Write write : old.values()) {
            if (ids.size() == share) {
                break;
            }
            ids.add(write.id());
        }
        for (int rank = 0; rank < logs.length; rank++) {
            HeadLog log = logs[rank];
            NodeId head = context.members().get(rank);
            int end = ids.size() + share;
            for (long counter = log.base(); counter < log.end() && ids.size() < end; counter++) {
                if (log.get(counter) != null) {
                    ids.add(new WriteId(context.viewNumber(), head, counter));
                }
            }
        }
        return ids;
    }

    /** The durable writes of the present view that are not done. */
    void durable(Runs to) {
        for (int rank = 0; rank < logs.length; rank++) {
            HeadLog log = logs[rank];
            for (long counter = log.base(); counter < log.end(); counter++) {
                Write write = log.get(counter);
                if (write != null && write.group.isDurable) {
                    to.add(rank + 1, counter, 1);
                }
            }
        }
    }
}
