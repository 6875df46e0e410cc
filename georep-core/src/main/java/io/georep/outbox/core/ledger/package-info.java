/** What of that is durable: facts, snapshots, payloads, and how all is read again. */
@NullMarked
package io.georep.outbox.core.ledger;

import org.jspecify.annotations.NullMarked;
