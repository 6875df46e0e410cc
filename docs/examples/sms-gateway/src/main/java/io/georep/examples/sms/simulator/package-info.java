/** An operator to try the gateway with. */
@NullMarked
package io.georep.examples.sms.simulator;

import org.jspecify.annotations.NullMarked;
