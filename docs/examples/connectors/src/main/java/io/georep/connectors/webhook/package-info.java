/** Sends records to an HTTP server. */
@NullMarked
package io.georep.connectors.webhook;

import org.jspecify.annotations.NullMarked;
