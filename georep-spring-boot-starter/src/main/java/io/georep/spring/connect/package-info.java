/**
 * Runs Kafka Connect's plugins inside the node: sinks that forward outboxes, and sources that feed them. Applications use {@link
 * io.georep.spring.Connectors} and, in settings, {@link io.georep.spring.connect.ByteArrayConverter}.
 */
@NullMarked
package io.georep.spring.connect;

import org.jspecify.annotations.NullMarked;
