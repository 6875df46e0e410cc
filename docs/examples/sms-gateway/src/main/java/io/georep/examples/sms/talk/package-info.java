/** Questions between gateways, over the links between their nodes. */
@NullMarked
package io.georep.examples.sms.talk;

import org.jspecify.annotations.NullMarked;
