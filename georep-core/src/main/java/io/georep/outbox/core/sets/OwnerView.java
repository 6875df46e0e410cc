package io.georep.outbox.core.sets;

import io.georep.model.NodeId;
import java.util.Set;

/** A set of sequence numbers for each of some owners, to look at. */
public interface OwnerView {
    /** Returns the entries noted for one owner; empty when none are. */
    SequenceView of(NodeId owner);

    /** Returns the owners something is noted for, in the order of their names. */
    Set<NodeId> owners();

    /** Returns whether nothing is noted for anybody. */
    boolean isEmpty();

    /** Returns whether a number is noted for anybody. */
    boolean contains(long sequence);

    /** Returns how many numbers are noted, of all owners together. */
    long total();
}
