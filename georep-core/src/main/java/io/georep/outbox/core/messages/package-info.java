/** What nodes tell each other, what the application asks, and what it is told. */
@NullMarked
package io.georep.outbox.core.messages;

import org.jspecify.annotations.NullMarked;
