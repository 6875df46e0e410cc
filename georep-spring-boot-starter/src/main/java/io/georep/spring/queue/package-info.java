/** Blocking queues whose elements are replicated. */
@NullMarked
package io.georep.spring.queue;

import org.jspecify.annotations.NullMarked;
