/** Delivery receipts: from the operator back to the client that asked for them. */
@NullMarked
package io.georep.examples.sms.receipts;

import org.jspecify.annotations.NullMarked;
