/** Statistics of a node as Micrometer meters, for applications that have Micrometer on their class path. */
@NullMarked
package io.georep.metrics;

import org.jspecify.annotations.NullMarked;
