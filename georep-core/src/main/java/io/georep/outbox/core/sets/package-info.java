/** Sets of sequence numbers, by which the outbox knows entries: it has no object per entry. */
@NullMarked
package io.georep.outbox.core.sets;

import org.jspecify.annotations.NullMarked;
