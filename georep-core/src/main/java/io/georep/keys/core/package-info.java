/**
 * The protocol of key spaces: it orders writes, copies them before they complete, and compares what nodes have. Pure:
 * no clock, no thread, no I/O.
 */
@NullMarked
package io.georep.keys.core;

import org.jspecify.annotations.NullMarked;
