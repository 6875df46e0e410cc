/** Funnel Replication as a pure protocol: no clock, no thread, no I/O. */
@NullMarked
package io.georep.funnel.core;

import org.jspecify.annotations.NullMarked;
