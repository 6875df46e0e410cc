/**
 * Runs the protocols of a node without knowing any by name: turns inputs into steps of protocols, and their effects
 * into I/O. {@link io.georep.runtime.NodeLoop} is where to begin.
 */
@NullMarked
package io.georep.runtime;

import org.jspecify.annotations.NullMarked;
