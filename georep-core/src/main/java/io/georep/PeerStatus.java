package io.georep;

import io.georep.model.NodeId;
import io.georep.model.PeerState;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Another node as this one sees it now.
 *
 * @param id name of the node
 * @param site its site; empty if unknown
 * @param state what this node believes about it
 * @param since how long it has been in this state
 * @param incarnation number of its present boot; 0 if this node never heard it
 * @param rttMin smallest round trip in that boot; null if unknown
 * @param rtt smoothed round trip; null if unknown
 * @param linked whether this node can send frames to it
 * @param selectable whether it may get copies of new entries, if its link has room
 * @param drained whether an operator drained it
 * @param foreign whether the process that this node met last under this name belongs to another cluster, so that this node
 *     takes nothing from it; see {@link GeoRepNode#joinClusterOf}
 * @param clockAhead by how much its wall clock is ahead of that of this node, as it said lately, negative if it is
 *     behind; the way of a message counts as behind. Null if it has said nothing for 3 × (T_s + T_x), and while there is no
 *     link to it
 * @param clockOff whether its wall clock differs by more than a minute: the log has told of it, and not of its end yet
 */
public record PeerStatus(
        NodeId id,
        String site,
        PeerState state,
        Duration since,
        long incarnation,
        @Nullable Duration rttMin,
        @Nullable Duration rtt,
        boolean linked,
        boolean selectable,
        boolean drained,
        boolean foreign,
        @Nullable Duration clockAhead,
        boolean clockOff) {}
