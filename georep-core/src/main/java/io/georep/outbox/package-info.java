/**
 * The outbox as applications see it: send, forward, dead letters. {@link io.georep.outbox.Outbox} is where to begin.
 * {@code core} is the protocol behind it, and {@code local} connects the two on one node; applications use neither.
 */
@NullMarked
package io.georep.outbox;

import org.jspecify.annotations.NullMarked;
