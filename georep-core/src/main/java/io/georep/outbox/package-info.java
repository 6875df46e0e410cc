/**
 * The outbox as applications see it: send, forward, dead letters. {@code core} is the GeoRep protocol behind it, and {@code
 * local} connects the two on one node. Neither of these is for applications.
 */
@NullMarked
package io.georep.outbox;

import org.jspecify.annotations.NullMarked;
