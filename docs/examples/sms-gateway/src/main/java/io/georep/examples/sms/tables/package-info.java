/** What all gateways share: who may send messages, and which operator a message goes to. */
@NullMarked
package io.georep.examples.sms.tables;

import org.jspecify.annotations.NullMarked;
