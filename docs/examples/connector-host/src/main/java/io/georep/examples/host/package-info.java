/** An application that runs connectors of Kafka Connect, without Kafka. */
@NullMarked
package io.georep.examples.host;

import org.jspecify.annotations.NullMarked;
