/**
 * The protocol of replicated maps, Funnel Replication, with the keepers of the views. Pure: no clock, no thread, no
 * I/O.
 */
@NullMarked
package io.georep.funnel.core;

import org.jspecify.annotations.NullMarked;
