/**
 * Ordered maps: strongly consistent maps with sorted keys, and transactions over several keys, which every node executes in the same
 * order.
 */
@NullMarked
package io.georep.geopaxos;

import org.jspecify.annotations.NullMarked;
