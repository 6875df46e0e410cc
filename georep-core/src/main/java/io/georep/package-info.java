/**
 * The node, and all that an application needs to start and ask it: {@link io.georep.GeoRepNode} is where to begin. No
 * other package of the core depends on this one, except test support and meters.
 */
@NullMarked
package io.georep;

import org.jspecify.annotations.NullMarked;
