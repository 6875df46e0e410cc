/**
 * GeoPaxos+ as a pure protocol: no clock, no thread, no I/O. The order of operations is divided among groups of nodes by the objects that
 * the operations use; all nodes execute all operations. Only {@link io.georep.geopaxos.core.CallerReads} and what it looks at are used by
 * other threads than the driver's, and are given the clocks.
 */
@NullMarked
package io.georep.geopaxos.core;

import org.jspecify.annotations.NullMarked;
