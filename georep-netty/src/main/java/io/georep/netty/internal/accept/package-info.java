/**
 * Connections that others open: strangers first, then peers, which {@code Admission} knows. {@code ChunkDecoder} puts frames
 * together on the loop of the connection.
 */
@NullMarked
package io.georep.netty.internal.accept;

import org.jspecify.annotations.NullMarked;
