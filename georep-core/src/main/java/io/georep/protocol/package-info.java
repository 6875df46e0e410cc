/** What all protocols of a node share: the turn, the peers, the envelope. Pure: no clock, thread or I/O. */
@NullMarked
package io.georep.protocol;

import org.jspecify.annotations.NullMarked;
