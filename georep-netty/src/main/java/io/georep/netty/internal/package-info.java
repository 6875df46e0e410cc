/**
 * Connections and what runs on them. {@code LinkTable} decides on one event loop which links there should be, {@code
 * ChunkWriter} and {@code ChunkDecoder} move bytes on the loop of their connection, and both sides of a handshake ask
 * {@code Admission}. Nothing here is API.
 */
@NullMarked
package io.georep.netty.internal;

import org.jspecify.annotations.NullMarked;
