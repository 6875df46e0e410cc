/**
 * Connections that this node opens: {@code LinkTable} decides on one event loop whom it dials, {@code ChunkWriter} makes chunks
 * of frames on the loop of the connection.
 */
@NullMarked
package io.georep.netty.internal.dial;

import org.jspecify.annotations.NullMarked;
