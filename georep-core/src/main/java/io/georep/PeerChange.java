package io.georep;

import io.georep.model.NodeId;
import io.georep.model.PeerState;
import org.jspecify.annotations.Nullable;

/**
 * Tells that this node now sees a peer in another state.
 *
 * @param peer name of the peer
 * @param site its site; empty if unknown
 * @param before its state before; null if this node has just learnt of the peer
 * @param after its state now
 */
public record PeerChange(NodeId peer, String site, @Nullable PeerState before, PeerState after) {}
