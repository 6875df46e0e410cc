/** Replicated maps beside products of others: programs that measure them. */
@NullMarked
package io.georep.comparison;

import org.jspecify.annotations.NullMarked;
