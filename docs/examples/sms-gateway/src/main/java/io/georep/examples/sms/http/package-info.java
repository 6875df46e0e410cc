/** Messages in by HTTP and JSON. */
@NullMarked
package io.georep.examples.sms.http;

import org.jspecify.annotations.NullMarked;
