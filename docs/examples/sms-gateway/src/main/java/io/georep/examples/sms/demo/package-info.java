/** Three gateways, a load, a kill, and an account of every acknowledgement. */
@NullMarked
package io.georep.examples.sms.demo;

import org.jspecify.annotations.NullMarked;
