package io.georep.geopaxos.core.execution;

import io.georep.consensus.ReplicatedLog;
import io.georep.geopaxos.OrderedMapsLayout;
import io.georep.geopaxos.core.messages.Move;
import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.geopaxos.core.messages.StatePiece;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** The safety conditions, in one place. Tests break them one by one and check that their judges notice. */
public class Rules {
    /** Entries between two snapshots. A snapshot stores what has changed once, however often it has changed. */
    public int snapshotEvery = 4096;

    /** Bytes of entries between two snapshots. */
    public long snapshotBytes = 16 << 20;

    /**
     * How many operations may wait to be executed. With more of them, an operation that would wait as well is not
     * ordered; with twice as many, none is.
     */
    public int waitingMax = 50_000;

    /** How many attempts of one contact the groups remember one by one because the oldest of them is still open. */
    public int pinnedMax = 50_000;

    /** Bytes of the operations that may wait to be executed. */
    public long waitingBytesMax = 128 << 20;

    /** An object moves if that saves what so many writes to its former and new groups together cost. */
    public int movePaysWrites = 12;

    /**
     * How many runs of acknowledged numbers are kept. With more of them, groups say which of the numbers between come
     * no more.
     */
    public int runsMax = 10_000;

    /** Bytes of results of one client that it has not acknowledged. Then it must acknowledge some, or is refused. */
    public long resultBytesMax = 64L << 20;

    /** Whether an operation of several groups takes one round if it can. */
    public boolean oneRound = true;

    /** Bytes of a page of a state. */
    public int pageBytes = 48 * 1024;

    /**
     * Returns whether an operation with its final timestamp need not wait for operations that are unknown here: each of its groups has
     * moved its clock past it, with a SYNC of its own if there are several groups and it is not {@linkplain Operation#isAtOnce at once}. So a
     * node that executes it knows that all groups have decided that SYNC, or else their SETs, which is what a leased read looks for.
     */
    public boolean hasPassed(Pending pending, GroupState[] groupStates) {
        if (!pending.isSynced()) {
            return false;
        }
        for (int left = pending.operation.groups(); left != 0; left &= left - 1) {
            if (groupStates[Integer.numberOfTrailingZeros(left)].clock < pending.bound()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns whether the groups that order an operation are enough for an object that it uses: all of the object's groups if it writes, one of
     * them if it reads. So a write and any other use of an object have a group in common.
     */
    public boolean covers(int groups, int ofObject, boolean write) {
        return write ? (ofObject & ~groups) == 0 : (ofObject & groups) != 0;
    }

    /** Returns whether a node leaves the log of a group when it hears that another one has gone on from it. */
    public boolean leaves() {
        return true;
    }

    /** Returns whether a move takes effect for an object with these groups. */
    public boolean moves(Move move, int present) {
        return present == move.from();
    }

    /** Returns whether an operation waits for an earlier one which it meets, and with which it has a group in common. */
    public boolean waits(Pending each, Pending earlier) {
        return true;
    }

    /** Returns whether an operation whose groups are not enough waits for earlier moves before it is given up. */
    public boolean waitsUncovered() {
        return true;
    }

    /** Returns whether an operation was executed before, under another attempt. */
    public boolean wasExecuted(Operation operation, ExecutedTable table) {
        return table.isKnown(operation.client(), operation.sequence());
    }

    /**
     * Returns up to which number operations of a client are ordered by no group any more.
     *
     * @param marks what each group has said of the client; nothing of those that are left out
     */
    long endsEverywhere(long[] marks, int groups) {
        return marks.length < groups ? 0 : LongStream.of(marks).min().orElse(0);
    }

    /** Returns something that concerns a leased read at the leader of a group and that it must not pass; null if there is nothing. */
    @Nullable
    public Pending ahead(GroupState groupState, Footprint footprint, Uses uses, Predicate<Pending> concerned) {
        return groupState.ripe.any(footprint, uses.numbers(), concerned);
    }

    /**
     * Returns the slot after which a leased read may look, because others may know before this leader that it is
     * decided; 0 if the read may look at once.
     */
    public long until(InFlight proposed, Footprint footprint, Uses uses, GroupState groupState) {
        return proposed.until(footprint, uses.numbers(), groupState.slot);
    }

    /**
     * Returns whether there is a write of a key, or a change of its object, that is not processed here and that others
     * may know to be decided. Any thread.
     */
    public boolean isInFlight(InFlight proposed, long key, long object, long processed) {
        return proposed.isAny(key, object, processed);
    }

    /** Returns whether what a leader has decided, and some of what is in flight, is all that its group has decided. */
    public boolean hasLease(ReplicatedLog log, long now) {
        return log.hasLease(now);
    }

    /** Returns what other threads must not read, because another node may have changed it by what waits here; null for nothing. */
    public Ripe.@Nullable Held held(GroupState groupState) {
        return groupState.ripe.held();
    }

    /** Returns whether the time is over until which other threads may read. */
    public boolean isOver(long end, long now) {
        return end - now <= 0;
    }

    /** Returns whether nothing was executed while a reader looked. */
    public boolean isUnchanged(Changes changes, long look) {
        return changes.isStill(look);
    }

    /** Returns the same for what another node asks. */
    public boolean hasLeaseForOthers(ReplicatedLog log, long now) {
        return hasLease(log, now);
    }

    /** Returns the groups whose leaders may read these objects for another node. */
    public int readersForOthers(Uses uses, Placement placement) {
        return readers(uses, placement);
    }

    /** Returns the groups whose leaders may read these objects without a message. */
    public int readers(Uses uses, Placement placement) {
        return uses.common(placement);
    }

    /**
     * Returns whether an operation of several groups is executed as soon as they have ordered it. Leased reads of its keys then wait for it
     * from its SETs on, and for as long as one of its groups has no leader. So not if one has none, and nothing that concerns more than its keys.
     */
    public boolean isAtOnce(Footprint footprint, boolean haveLeaders) {
        return oneRound && haveLeaders && !footprint.everything() && !footprint.hasObjects();
    }

    /** Returns whether an operation is not asked for before an earlier one of its client was executed. */
    public boolean follows(Footprint later, Footprint earlier) {
        return later.meets(earlier);
    }

    /** Names an attempt. */
    public OpId id(OpId next, long client, long sequence) {
        return next;
    }

    /** Returns an incarnation later than the last one that is known of this node. */
    public long later(long last, long random) {
        return OpId.later(last, random);
    }

    /** Returns whether what was executed is what was asked for under the same id. */
    public boolean isAsked(Operation asked, Operation executed) {
        return asked.equals(executed);
    }

    /** Returns the number below which all attempts of this contact are in the logs of all their groups. */
    public long low(long lowestOpen, long number) {
        return lowestOpen;
    }

    /** Returns up to which slots the logs can be forgotten, once the last snapshot of this node has them. */
    public List<Long> forgettable(List<Long> agreed, List<Long> last) {
        return agreed;
    }

    /** Returns whether a layout of nodes follows the present one: of two changes at once the first one counts. Groups stay. */
    public boolean isNext(OrderedMapsLayout next, OrderedMapsLayout present) {
        return next.version() == present.version() + 1
                && next.groups().size() >= present.groups().size();
    }

    /** Returns what a state says of a group that was added. */
    public GroupState added(GroupState groupState) {
        return groupState;
    }

    /** Returns whether what waits belongs to a state. */
    public boolean keepsWaiting() {
        return true;
    }

    /** Returns whether a piece of the state is stored again when it has changed. */
    public boolean stores(StatePiece.Name name) {
        return true;
    }
}
