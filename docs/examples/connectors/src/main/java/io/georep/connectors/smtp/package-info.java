/** Sends records as mails. */
@NullMarked
package io.georep.connectors.smtp;

import org.jspecify.annotations.NullMarked;
