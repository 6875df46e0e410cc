package io.georep.outbox.core.stream;

import static io.georep.model.BrokenInvariantException.require;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.StreamId;
import io.georep.outbox.RepetitionCause;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.sets.SequenceView;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a node knows about the entries of one stream: sets of sequence numbers, never objects per entry. They change only
 * through the transitions here, named after what happened. How the sets lie to each other is in {@link SetRelations}: what
 * costs no more than a comparison of sizes is required after each transition, the rest where assertions are enabled.
 *
 * <p>Durable transitions are called by the {@code Ledger} alone, when a fact is written and when it is read again.
 */
public final class StreamTable {
    public final StreamId id;
    public final String queue;

    /** Age of the store, as it was noted, when anything changed here last ({@code StoreAge}). Durable. */
    public long touchedMillis;

    /** When that was, on the clock of this boot, also when it was before it. */
    public long touchedNanos;

    /** Whether something changed here since the last heartbeat. */
    public boolean changed;

    /** When it was last found that the stream is not over, on the clock of this boot. */
    public long examinedNanos = Long.MIN_VALUE;

    /** Whether the stream is in the {@code Archive}, or has a new table since: nothing can change in this one. */
    public boolean away;

    /** What is noted about single owners. */
    public final Duties duties = new Duties(this);

    private long next;
    private boolean knowsCommits;
    private final Custodies custodies = new Custodies();
    private final StoredGroups storedGroups = new StoredGroups();
    private final FinishedSet finishedSet = new FinishedSet();
    private final SequenceSet takenSet = new SequenceSet();
    private final SequenceSet uncertainSet = new SequenceSet();
    private final SequenceSet uncertainAtBootSet = new SequenceSet();
    private final SequenceSet deadSet = new SequenceSet();
    private final SequenceSet preparedSet = new SequenceSet();
    private final SequenceSet readySet = new SequenceSet();
    private final SequenceSet pendingSet = new SequenceSet();
    private final SequenceSet heldBackSet = new SequenceSet();
    private final SequenceSet finishedElsewhereSet = new SequenceSet();

    // Durable, as are the custodies.

    /** First sequence number of every group whose bytes are in the store. */
    public final SequenceView groups = storedGroups.firsts();

    /** Entries whose bytes are in the store: those of all groups, also the finished ones beside live neighbours. */
    public final SequenceView covered = storedGroups.covered();

    /** Tombstones. */
    public final FinishedView finished = finishedSet;

    /** Entries that were handed to the application. */
    public final SequenceView taken = takenSet;

    /** Entries that may have been forwarded already. A node that does not hold them any more tells the others (6.16.5). */
    public final SequenceView uncertain = uncertainSet;

    /** Entries that were set aside as dead letters. */
    public final SequenceView dead = deadSet;

    /** Entries that are not handed out before their producer decides, even if this node was released of them. */
    public final SequenceView prepared = preparedSet;

    // Of this boot.

    /** Entries that are held here and wait to be handed to the application. */
    public final SequenceView ready = readySet;

    /** Own puts that wait for copies (state Received). */
    public final SequenceView pending = pendingSet;

    /** Entries that are not handed out until the other owners have answered a QUERY (6.8). */
    public final SequenceView heldBack = heldBackSet;

    /** Entries that another owner has ended while the application here is working on them (b7). */
    public final SequenceView finishedElsewhere = finishedElsewhereSet;

    /** Owners that came while the application had an entry in its hands. */
    public final LateOwners lateOwners = new LateOwners();

    public StreamTable(StreamId id, String queue) {
        this(id, queue, new RangeList());
    }

    /** Creates the table of a stream; {@code over} are entries that are finished. */
    public StreamTable(StreamId id, String queue, RangeList over) {
        this.id = id;
        this.queue = queue;
        finishedSet.addAll(over);
        next = finished.end();
    }

    // --- Durable transitions: what a fact changes.

    /** Adds new entries, whose bytes are stored. */
    public void stored(long from, long to, Custody custody) {
        long before = covered.size();
        storedGroups.add(from, to);
        require(covered.size() == before + to - from, "no entry is stored twice", this);
        next = Math.max(next, to);
        RangeList ranges = RangeList.of(from, to);
        duties.changedHands(custodies.parts(), ranges, custody);
        custodies.assign(ranges, custody);
        check(ranges);
    }

    /** Changes how entries are held.
     *
     * @return the groups nobody needs any more, by their first numbers
     */
    public List<Long> changedHands(RangeList ranges, Custody custody) {
        duties.changedHands(custodies.parts(), ranges, custody);
        custodies.assign(ranges, custody);
        List<Long> dropped = List.of();
        if (custody.state() == EntryState.REMOVED) {
            forget(ranges);
            dropped = storedGroups.dropUnneeded(ranges, custodies);
        } else if (custody.state() == EntryState.COPY) {
            heldBackSet.removeAll(ranges);
            duties.forget(ranges);
        }
        check(ranges);
        return dropped;
    }

    /**
     * Finishes entries that were forwarded, here or elsewhere, or withdrawn.
     *
     * @param toTell the owners that must be told
     * @return the groups nobody needs any more, by their first numbers
     */
    public List<Long> finished(RangeList ranges, Collection<NodeId> toTell) {
        duties.ending(custodies.parts(), ranges);
        custodies.unassign(ranges);
        forget(ranges);
        uncertainSet.removeAll(ranges);
        uncertainAtBootSet.removeAll(ranges);
        preparedSet.removeAll(ranges);
        finishedSet.addAll(ranges);
        duties.finished(ranges, toTell);
        List<Long> dropped = storedGroups.dropUnneeded(ranges, custodies);
        check(ranges);
        return dropped;
    }

    /** Forgets what only matters while this node holds the entries. */
    private void forget(RangeList ranges) {
        readySet.removeAll(ranges);
        pendingSet.removeAll(ranges);
        heldBackSet.removeAll(ranges);
        takenSet.removeAll(ranges);
        deadSet.removeAll(ranges);
        finishedElsewhereSet.removeAll(ranges);
        duties.forget(ranges);
    }

    /** Notes that entries were handed to the application. */
    public void taken(RangeList ranges) {
        long before = takenSet.size();
        takenSet.addAll(ranges);
        require(takenSet.size() == before + ranges.total(), "nothing is handed out while it is in hand", this);
        readySet.removeAll(ranges);
        check(ranges);
    }

    /** Notes that the application gave entries back. If a handler had them, nobody knows whether it forwarded them. */
    public void givenBack(RangeList ranges, boolean tried) {
        uncertainSet.addAll(tried ? ranges : new RangeList());
        require(takenSet.removeEach(ranges), "only what is in hand is given back", this);
        check(ranges);
    }

    /** Notes that somebody may have forwarded entries that are held here. */
    public void becameUncertain(RangeList ranges) {
        uncertainSet.addAll(ranges);
        check(ranges);
    }

    /** Makes entries dead letters, because the application gave up on them. */
    public void becameDead(RangeList ranges) {
        takenSet.removeAll(ranges);
        uncertainSet.addAll(ranges);
        deadSet.addAll(ranges);
        readySet.removeAll(ranges);
        check(ranges);
    }

    /** Makes dead letters live again. */
    public void revived(RangeList ranges) {
        require(deadSet.removeEach(ranges), "only dead letters live again", this);
        check(ranges);
    }

    /** Notes that entries wait for the decision of their producer. */
    public void prepared(RangeList ranges) {
        preparedSet.addAll(ranges);
        check(ranges);
    }

    /** Lets prepared entries be handed out. */
    public void decided(RangeList ranges) {
        knowsCommits = true;
        require(preparedSet.removeEach(ranges), "only what is undecided is decided", this);
        check(ranges);
    }

    /**
     * The node started again: the application may have forwarded what it had in hand. For adopted entries the note that they
     * were handed out may be lost, and no other node has it.
     */
    public void restarted() {
        for (Custodies.Part part : custodies.parts()) {
            if (part.custody().adoptedFrom() != null) {
                uncertainSet.addAll(part.members().all());
            }
        }
        uncertainSet.addAll(takenSet);
        uncertainAtBootSet.addAll(uncertainSet);
        takenSet.clear();
        check(uncertainSet.all());
    }

    // --- Transitions of this boot.

    /**
     * Entries held here may be handed out.
     *
     * @return those that became ready: not held back, not set aside, not undecided, not handed out already
     */
    public RangeList offered(RangeList ranges) {
        RangeList free = ranges.without(heldBack.within(ranges))
                .without(dead.within(ranges))
                .without(prepared.within(ranges));
        RangeList fresh = free.without(taken.within(free));
        readySet.addAll(fresh);
        check(fresh);
        return fresh;
    }

    /** Stops entries from being handed out. */
    public void withdrawn(RangeList ranges) {
        readySet.removeAll(ranges);
        check(ranges);
    }

    /** Notes own puts that wait for their copies (state Received). */
    public void received(long from, long to) {
        long before = pendingSet.size();
        pendingSet.add(from, to);
        require(pendingSet.size() == before + to - from, "no put waits twice", this);
        check(RangeList.of(from, to));
    }

    /** Notes own puts that wait no longer: they have their copies, or were given up. */
    public void answered(long from, long to) {
        pendingSet.remove(from, to);
        check(RangeList.of(from, to));
    }

    /** Holds entries back until other owners have said what they know of them (6.8). */
    public void heldBack(RangeList ranges) {
        readySet.removeAll(ranges);
        heldBackSet.addAll(ranges);
        check(ranges);
    }

    /** Holds entries back no longer, because no other owner answered. */
    public void letGo(RangeList ranges) {
        heldBackSet.removeAll(ranges);
        check(ranges);
    }

    /** Notes that another owner ended entries that the application has in its hands (b7). */
    public void finishedElsewhere(RangeList ranges) {
        finishedElsewhereSet.addAll(ranges);
        check(ranges);
    }

    /** Entries may have been committed here before this boot. */
    public void mayKnowCommits() {
        knowsCommits = true;
    }

    /** The end of every transition that changes a set. */
    void check(RangeList ranges) {
        assert SetRelations.hold(this, ranges);
    }

    // --- What is known.

    /** Returns the next sequence number, for streams of this boot of this node. */
    public long next() {
        return next;
    }

    /** Entries by how they are held, in the order the custodies came to be; safe to change the table while iterating. */
    public List<Custodies.Part> parts() {
        return custodies.parts();
    }

    /** Returns the custody of an entry; null if it has none here. */
    public @Nullable Custody custodyOf(long sequence) {
        return custodies.of(sequence);
    }

    /** Returns the custody of an entry with all entries that have the same; null if it has none here. */
    public Custodies.@Nullable Part partOf(long sequence) {
        return custodies.partOf(sequence);
    }

    /** Returns the entries of these ranges in one state. */
    public SequenceSet inState(EntryState state, RangeList ranges) {
        return custodies.inState(state, ranges);
    }

    /** Returns the number of entries in one state. */
    public long count(EntryState state) {
        return custodies.count(state);
    }

    /** Returns whether this node may know of commits, of which perhaps not all owners have heard. */
    public boolean knowsCommits() {
        return knowsCommits;
    }

    /** Returns whether there is a {@link #doubt} about any entry. */
    public boolean hasDoubts() {
        return !uncertain.isEmpty() || !duties.unproven.isEmpty();
    }

    /** Returns why somebody may have forwarded an entry that this node holds and did not adopt; null if nobody can have. */
    public @Nullable RepetitionCause doubt(long sequence) {
        if (uncertain.contains(sequence)) {
            return uncertainAtBootSet.contains(sequence) ? RepetitionCause.RESTARTED : RepetitionCause.UNCLEAR;
        }
        return duties.unproven.contains(sequence) ? RepetitionCause.UNPROVEN : null;
    }

    /** Returns whether this node is an owner of anything kept here. */
    public boolean names(NodeId node) {
        return custodies.name(node);
    }

    /** Returns whether nothing here needs to be kept but tombstones. */
    public boolean isQuiet() {
        return custodies.areReleased() && duties.untold.isEmpty() && duties.unreleased.isEmpty();
    }

    /** Returns how many pieces the durable sets take in memory. */
    public long pieces() {
        return durableSets().stream().mapToLong(SequenceView::pieces).sum();
    }

    // --- Snapshots.

    private List<SequenceView> durableSets() {
        return List.of(groups, covered, finished.above(), taken, dead, prepared, uncertain);
    }

    /** All that is durable but name, queue and time: what {@link #read} fills a new table with. */
    public void write(BinWriter out) {
        durableSets().forEach(set -> set.all().write(out));
        custodies.write(out);
        duties.write(out);
    }

    /** The table {@link #write} wrote. */
    public void read(BinReader in, long nextNumber, long floor) {
        next = nextNumber;
        storedGroups.read(RangeList.read(in), RangeList.read(in));
        finishedSet.add(0, floor);
        finishedSet.addAll(RangeList.read(in));
        for (SequenceSet set : List.of(takenSet, deadSet, preparedSet, uncertainSet)) {
            set.addAll(RangeList.read(in));
        }
        custodies.read(in);
        duties.read(in);
    }

    @Override
    public String toString() {
        return "StreamTable[" + id + " " + queue + "]";
    }
}
