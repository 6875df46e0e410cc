/** How the owners of entries stay in agreement: copies, adoption, questions, new owners. */
@NullMarked
package io.georep.outbox.core.owners;

import org.jspecify.annotations.NullMarked;
