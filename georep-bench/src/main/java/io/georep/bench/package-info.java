/**
 * Benchmarks, load and the demo. Nothing depends on this module, so that measuring code never ships.
 */
@NullMarked
package io.georep.bench;

import org.jspecify.annotations.NullMarked;
