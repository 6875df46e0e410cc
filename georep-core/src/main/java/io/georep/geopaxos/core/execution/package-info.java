/**
 * What every node executes, in the order of the timestamps, and the state that comes of it. Only {@link
 * io.georep.geopaxos.core.execution.CallerReads} and what it looks at are used by other threads than the driver's, and are given the
 * clocks.
 */
@NullMarked
package io.georep.geopaxos.core.execution;

import org.jspecify.annotations.NullMarked;
