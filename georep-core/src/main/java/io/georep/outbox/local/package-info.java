/** Connects the API of the outbox with its protocol on one node: sends under way, handlers, retries, events. */
@NullMarked
package io.georep.outbox.local;

import org.jspecify.annotations.NullMarked;
