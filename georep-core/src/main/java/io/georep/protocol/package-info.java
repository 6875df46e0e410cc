/**
 * For authors of protocols: what all protocols of a node share, and what a protocol is. Pure: no clock, thread or I/O. See {@code
 * docs/how-it-works/write-a-protocol.md}.
 */
@NullMarked
package io.georep.protocol;

import org.jspecify.annotations.NullMarked;
