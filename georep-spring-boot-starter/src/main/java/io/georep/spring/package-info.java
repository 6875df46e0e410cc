/**
 * What a Spring application imports: {@link io.georep.spring.OutboxListener},
 * {@link io.georep.spring.ReplicatedQueue} and {@link io.georep.spring.Outboxes} are where to begin. The types here
 * adapt the public API of the core to annotations and listeners. They add no guarantees of their own.
 */
@NullMarked
package io.georep.spring;

import org.jspecify.annotations.NullMarked;
