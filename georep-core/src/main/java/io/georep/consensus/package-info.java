/**
 * A replicated log by Multi-Paxos, as a plain object that a protocol embeds: elections, acceptance in order, leases, changes of the
 * acceptors. It knows nothing of what the entries mean.
 */
@NullMarked
package io.georep.consensus;

import org.jspecify.annotations.NullMarked;
