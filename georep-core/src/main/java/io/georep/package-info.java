/**
 * The entry point of GeoRep: a node and its builder. Everything an application starts with is here, it may use all
 * of the core, and nothing else inside the core depends on it.
 */
@NullMarked
package io.georep;

import org.jspecify.annotations.NullMarked;
