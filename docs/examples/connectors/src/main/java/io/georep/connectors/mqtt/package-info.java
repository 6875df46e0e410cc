/** Sends records to an MQTT 5 broker, and takes messages from one. */
@NullMarked
package io.georep.connectors.mqtt;

import org.jspecify.annotations.NullMarked;
