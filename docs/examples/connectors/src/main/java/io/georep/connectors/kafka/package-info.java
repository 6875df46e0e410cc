/** Sends records to topics of Kafka, and takes messages from some. */
@NullMarked
package io.georep.connectors.kafka;

import org.jspecify.annotations.NullMarked;
