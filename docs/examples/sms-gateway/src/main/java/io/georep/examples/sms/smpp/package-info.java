/** Messages in by SMPP 3.4, and what both sides of that protocol share. */
@NullMarked
package io.georep.examples.sms.smpp;

import org.jspecify.annotations.NullMarked;
