/** Between ordered maps and the application: calls, their numbers and time-outs, bytes of keys and values. */
@NullMarked
package io.georep.geopaxos.local;

import org.jspecify.annotations.NullMarked;
