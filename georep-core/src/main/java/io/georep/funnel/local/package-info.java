/**
 * Connects the API of the replicated maps with their protocol on one node: reads from memory, leases, listeners,
 * calls.
 */
@NullMarked
package io.georep.funnel.local;

import org.jspecify.annotations.NullMarked;
