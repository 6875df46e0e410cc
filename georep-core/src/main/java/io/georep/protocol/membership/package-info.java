/**
 * The membership: who is there. Greeting, gossip, failure detection, leaving and returning. Pure: no clock, no
 * thread, no I/O.
 */
@NullMarked
package io.georep.protocol.membership;

import org.jspecify.annotations.NullMarked;
