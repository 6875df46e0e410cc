/** What the store costs, driven as the outbox drives it. */
@NullMarked
package io.georep.bench.store;

import org.jspecify.annotations.NullMarked;
