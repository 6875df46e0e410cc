/** What the holder of an entry does: takes it in, hands it out, ends it. */
@NullMarked
package io.georep.outbox.core.holder;

import org.jspecify.annotations.NullMarked;
