/**
 * Key spaces: small records that survive the restart of a node and, if wanted, its loss.
 * {@link io.georep.keys.KeySpaces} is where to begin. {@code core} is the protocol, and {@code local} connects the
 * two on one node; applications use neither.
 */
@NullMarked
package io.georep.keys;

import org.jspecify.annotations.NullMarked;
