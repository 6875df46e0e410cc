/** Connectors for Kafka Connect on the clients of their vendors; they run wherever connectors run. */
@NullMarked
package io.georep.connectors;

import org.jspecify.annotations.NullMarked;
