/** Sends records to RabbitMQ, and takes messages from it. */
@NullMarked
package io.georep.connectors.rabbitmq;

import org.jspecify.annotations.NullMarked;
