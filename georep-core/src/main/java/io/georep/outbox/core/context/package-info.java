/** What all parts of the outbox protocol share: the ledger, peers, leases, attempts, questions under way. */
@NullMarked
package io.georep.outbox.core.context;

import org.jspecify.annotations.NullMarked;
