package io.georep.geopaxos.core.groups;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.consensus.Ballot;
import io.georep.consensus.LogEntry;
import io.georep.consensus.LogMessage;
import io.georep.consensus.LogMessage.Learn;
import io.georep.consensus.LogPlace;
import io.georep.consensus.ReplicatedLog;
import io.georep.consensus.Seats;
import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.StateHead;
import io.georep.geopaxos.core.execution.StateLoading;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.geopaxos.core.messages.StatePiece;
import io.georep.model.BrokenInvariantException;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The state of another node, for this one, which needs slots that are forgotten. What is left of the logs comes with
 * it. So by taking it this node forgets no more than the other one has, see {@link
 * io.georep.geopaxos.core.execution.Truncation}. It comes in {@linkplain StatePiece pieces}, so that nobody ever holds
 * its bytes as a whole.
 */
public final class GeoState {
    /** The log of a group. */
    static final class Held {
        /** The slot up to which the log is forgotten. */
        long base;

        /** The seats at that slot. */
        private @Nullable Seats seats;

        /** The entries decided after that slot. */
        final List<LogEntry> entries = new ArrayList<>();

        long decided() {
            return base + entries.size();
        }

        Seats seats() {
            return Objects.requireNonNull(seats);
        }

        LogPlace place() {
            Seats now = seats();
            long slot = base;
            for (LogEntry entry : entries) {
                now = now.after(++slot, entry);
            }
            return new LogPlace(now.log(), slot, slot, now.origins());
        }
    }

    private final StateLoading executed;
    private final Consumer<StatePiece> store;
    private final List<Held> logs = new ArrayList<>();
    private final int founded;
    private @Nullable StateHead head;

    /**
     * Begins to take one.
     *
     * @param founded how many groups there were in the beginning
     * @param executed takes what was executed
     * @param store takes the same
     */
    public GeoState(int founded, StateLoading executed, Consumer<StatePiece> store) {
        this.founded = founded;
        this.executed = executed;
        this.store = store;
    }

    /** Returns the pieces of what a node has in this moment. */
    public static Iterator<StatePiece> of(Slice head, List<ReplicatedLog> logs, Iterator<StatePiece> executed) {
        List<StatePiece> first = new ArrayList<>();
        first.add(new StatePiece(new StatePiece.Name(StatePiece.HEAD, 0, 0), head));
        for (int group = 0; group < logs.size(); group++) {
            ReplicatedLog log = logs.get(group);
            BinWriter base = new BinWriter(64);
            log.seatsAtBase().write(base);
            first.add(new StatePiece(new StatePiece.Name(StatePiece.BASE, group, log.base()), base.toSlice()));
            for (long slot = log.base() + 1; slot <= log.decided(); slot++) {
                first.add(new StatePiece(
                        new StatePiece.Name(StatePiece.ENTRY, group, slot),
                        new Learn(Ballot.NONE, slot, List.of(log.entry(slot))).encode()));
            }
        }
        Iterator<StatePiece> logged = first.iterator();
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return logged.hasNext() || executed.hasNext();
            }

            @Override
            public StatePiece next() {
                return logged.hasNext() ? logged.next() : executed.next();
            }
        };
    }

    /** Returns whether it has more than a node in one group at least, and the node can process the rest again. */
    public boolean isNews(List<GroupLog> present) {
        boolean isAhead = false;
        for (GroupLog each : present) {
            // It may have been made before a group was added.
            long decided = each.group() < logs.size() ? logs.get(each.group()).decided() : 0;
            isAhead |= decided > each.log().decided();
            LogPlace own = each.log().allegiance().place();
            boolean isOther = decided > 0 && !logs.get(each.group()).place().agreesWith(own);
            if (isOther || decided < each.log().base()) {
                return false; // or it was on the way while the node came farther
            }
        }
        return isAhead;
    }

    /** The logs take what it has of them. */
    public void install(List<GroupLog> present, Executor restored) {
        for (GroupLog each : present.subList(0, logs.size())) {
            Held held = logs.get(each.group());
            long slot = restored.groupState(each.group()).slot;
            if (slot != held.decided()) {
                throw new BrokenInvariantException(
                        "a snapshot of slot " + slot + " came with a log of " + held.decided() + " slots");
            }
            each.log().install(held.base, held.seats());
            each.log().learn(held.base, held.entries);
        }
    }

    /**
     * Takes a piece.
     *
     * @throws MalformedException if it is none
     */
    public void add(StatePiece piece) {
        StatePiece.Name name = piece.name();
        if (name.kind() == StatePiece.HEAD) {
            head = StateHead.read(piece.content(), founded);
        } else if (name.kind() == StatePiece.BASE) {
            base(held(name), name.second(), new BinReader(piece.content()));
        } else if (name.kind() == StatePiece.ENTRY) {
            Held log = held(name);
            LogMessage message = GeoMessage.check(LogMessage.read(new BinReader(piece.content())), founded);
            if (name.second() != log.decided() + 1 || !(message instanceof Learn learn)) {
                throw new MalformedException("slot " + name.second() + " after " + log.decided() + ": " + message);
            }
            log.entries.addAll(learn.entries());
        } else {
            executed.add(piece);
            store.accept(piece);
        }
    }

    private Held held(StatePiece.Name name) {
        if (name.first() < 0 || name.first() >= GeoGroups.MAX) {
            throw new MalformedException("the log of group " + name.first());
        }
        while (logs.size() <= name.first()) {
            logs.add(new Held());
        }
        return logs.get((int) name.first());
    }

    private static void base(Held log, long base, BinReader in) {
        if (base < 0 || base > Operation.NUMBER_MAX || log.seats != null || log.decided() > 0) {
            throw new MalformedException("a log from slot " + base + " on");
        }
        log.base = base;
        log.seats = Seats.read(in);
        if (log.seats.slot() > base) {
            throw new MalformedException("seats of slot " + log.seats.slot() + " at slot " + base);
        }
    }

    /**
     * All pieces were added.
     *
     * @throws MalformedException if some are missing
     */
    GeoState whole() {
        if (head == null
                || head.groupStates().size() != logs.size()
                || logs.stream().anyMatch(log -> log.seats == null)) {
            throw new MalformedException("a state without its head, or the log of a group");
        }
        return this;
    }

    /** Returns what belongs to the pieces. */
    public StateHead head() {
        return Objects.requireNonNull(head);
    }

    public StateLoading executed() {
        return executed;
    }

    Held log(int group) {
        return logs.get(group);
    }
}
