package io.georep;

import io.georep.model.NodeId;
import io.georep.model.PeerState;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Another node as this one sees it now.
 *
 * @param id its name
 * @param site its site, empty when unknown
 * @param state this node's belief about it
 * @param since how long it has been in this state
 * @param incarnation its boot number, 0 when never heard
 * @param rttMin smallest round trip seen in this boot, null when unknown
 * @param rtt smoothed round trip, null when unknown
 * @param linked whether frames can leave for it
 * @param selectable whether it may get copies of new entries
 * @param drained whether an operator asked for no new copies on it
 * @param foreign whether the process of this name that was met last belongs to another cluster, so that nothing is taken from
 *     it; see {@link GeoRepNode#joinClusterOf}
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
        boolean foreign) {}
