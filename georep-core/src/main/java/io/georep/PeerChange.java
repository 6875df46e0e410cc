package io.georep;

import io.georep.model.NodeId;
import io.georep.model.PeerState;
import org.jspecify.annotations.Nullable;

/**
 * A peer changed its state in the eyes of this node.
 *
 * @param peer its name
 * @param site its site, empty when unknown
 * @param before its former state, null when it was met just now
 * @param after its state now
 */
public record PeerChange(NodeId peer, String site, @Nullable PeerState before, PeerState after) {}
