/** Messages out to the operator by SMPP 3.4. */
@NullMarked
package io.georep.examples.sms.operator;

import org.jspecify.annotations.NullMarked;
