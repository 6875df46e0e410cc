/** An SMS gateway: takes messages by SMPP and HTTP, keeps them at several sites, forwards them to an operator. */
@NullMarked
package io.georep.examples.sms;

import org.jspecify.annotations.NullMarked;
