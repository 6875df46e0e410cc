/** What stands between applications and the outbox protocol on one node: sends under way, forwarding, queues, events. */
@NullMarked
package io.georep.outbox.local;

import org.jspecify.annotations.NullMarked;
