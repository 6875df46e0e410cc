/** Sends records to a JMS broker. */
@NullMarked
package io.georep.connectors.jms;

import org.jspecify.annotations.NullMarked;
