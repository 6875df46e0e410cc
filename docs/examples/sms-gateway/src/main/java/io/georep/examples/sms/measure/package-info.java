/** Programs that measure the gateway and the starter. */
@NullMarked
package io.georep.examples.sms.measure;

import org.jspecify.annotations.NullMarked;
