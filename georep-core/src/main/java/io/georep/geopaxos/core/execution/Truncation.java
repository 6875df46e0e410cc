package io.georep.geopaxos.core.execution;

import io.georep.consensus.ReplicatedLog;
import io.georep.geopaxos.core.messages.GroupEntry;
import java.util.Collections;
import java.util.List;

/**
 * How much of the logs is forgotten: what stands in a snapshot of this node, up to slots that all nodes agree on. The
 * log of the first group says which ones, and never takes them back. So of any two nodes, at least one has executed,
 * in all groups, what the other one has forgotten. The other one can take its state; whatever it had executed beyond
 * that state is still in its own logs. If each node chose for itself, two of them could each have forgotten what the
 * other one lacks, and never come together again.
 */
public final class Truncation {
    private List<Long> agreed;

    /**
     * The slots of the last snapshot of this node; {@link #before}: of the one before it. So a node that is a little behind
     * needs no state.
     */
    private List<Long> last;

    private List<Long> before;

    /** Bytes of the entries since the last snapshot. */
    private long entryBytes;

    public Truncation(int groups) {
        agreed = Collections.nCopies(groups, 0L);
        last = agreed;
        before = agreed;
    }

    /** An entry of so many bytes was processed. */
    public void processed(long bytes) {
        entryBytes += bytes;
    }

    /** Returns whether so much was processed since the last snapshot that it is time for another. */
    public boolean isDue(List<Long> slots, Rules rules) {
        long age = 0;
        for (int group = 0; group < slots.size(); group++) {
            age += slots.get(group) - at(last, group);
        }
        return age >= rules.snapshotEvery || entryBytes >= rules.snapshotBytes;
    }

    /** Called when this node stores a snapshot. */
    public void snapshot(List<Long> slots, ReplicatedLog first) {
        entryBytes = 0;
        before = last;
        last = slots;
        propose(first);
    }

    /** Called when this node begins with a stored snapshot. */
    public void booted(List<Long> slots) {
        entryBytes = 0;
        last = slots;
        before = slots;
    }

    /** Says in the log of the first group what to agree on next, if this node leads it. Said again until it is agreed. */
    public void propose(ReplicatedLog first) {
        if (first.leads() && covers(before, agreed) && !before.equals(agreed)) {
            first.propose(new GroupEntry.Cut(before).encode());
        }
    }

    /** Called when it stands in the log of the first group. */
    public void agreed(List<Long> slots) {
        if (covers(slots, agreed)) {
            agreed = slots;
        }
    }

    /** Returns up to which slots the logs can be forgotten now; empty if they cannot. */
    public List<Long> passed(Rules rules) {
        List<Long> slots = rules.forgettable(agreed, last);
        return covers(last, slots) ? slots : List.of();
    }

    /** Returns up to which slots logs can be forgotten. */
    public List<Long> agreed() {
        return agreed;
    }

    /** Returns the slot of a group; 0 for a group that was added later. */
    static long at(List<Long> slots, int group) {
        return group < slots.size() ? slots.get(group) : 0;
    }

    private static boolean covers(List<Long> slots, List<Long> others) {
        for (int group = 0; group < others.size(); group++) {
            if (at(slots, group) < others.get(group)) {
                return false;
            }
        }
        return true;
    }
}
