/**
 * Connections and what runs on them, each class named for its job. Three threads of thought: {@code LinkTable} decides on
 * one event loop which links there should be, {@code ChunkWriter} and {@code ChunkDecoder} move bytes on the loop of their
 * connection, and {@code Admission} is the one place both sides of a handshake ask. Nothing here is API.
 */
@NullMarked
package io.georep.netty.internal;

import org.jspecify.annotations.NullMarked;
