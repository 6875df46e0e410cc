/**
 * Replicated maps: strongly consistent state beside the queues, read from memory on every node. {@link
 * io.georep.funnel.ReplicatedMaps} is where to begin.
 */
@NullMarked
package io.georep.funnel;

import org.jspecify.annotations.NullMarked;
