/**
 * Replicated maps: strongly consistent state beside the queues, read from memory on every node.
 * {@link io.georep.funnel.ReplicatedMaps} is where to begin. {@code core} is the protocol, and {@code local} connects
 * the two on one node; applications use neither.
 */
@NullMarked
package io.georep.funnel;

import org.jspecify.annotations.NullMarked;
