/**
 * The outbox as applications see it: send, forward, dead letters. {@code core} is the GeoRep protocol behind it, {@code local}
 * what stands between the two on one node; neither is for applications.
 */
@NullMarked
package io.georep.outbox;

import org.jspecify.annotations.NullMarked;
