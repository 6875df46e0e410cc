/**
 * GeoPaxos+ as a pure protocol: no clock, no thread, no I/O. The order of operations is divided among groups of nodes by the objects that
 * the operations use; all nodes execute all operations. This room has the node as a whole, its store and its changes of seats.
 */
@NullMarked
package io.georep.geopaxos.core;

import org.jspecify.annotations.NullMarked;
