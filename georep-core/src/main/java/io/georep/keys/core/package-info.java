/** The protocol of key spaces: it orders writes, copies them before they complete, and compares what nodes have. */
@NullMarked
package io.georep.keys.core;

import org.jspecify.annotations.NullMarked;
