/**
 * Named spaces of small records that survive restarts, and other nodes if wanted, as applications see them. {@code core} is
 * the protocol behind it, {@code local} what stands between the two on one node; neither is for applications.
 */
@NullMarked
package io.georep.keys;

import org.jspecify.annotations.NullMarked;
