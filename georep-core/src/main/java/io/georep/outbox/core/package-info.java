/**
 * The protocol of the outbox: copies, forwarding, adoption and removal of entries. Pure: no clock, no thread, no I/O.
 * {@code docs/how-it-works/protocol.md} has its rules.
 */
@NullMarked
package io.georep.outbox.core;

import org.jspecify.annotations.NullMarked;
