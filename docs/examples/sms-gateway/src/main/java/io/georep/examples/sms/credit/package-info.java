/** Prepaid credit: reserved when a message is taken, spent when an operator took it, given back when none will. */
@NullMarked
package io.georep.examples.sms.credit;

import org.jspecify.annotations.NullMarked;
