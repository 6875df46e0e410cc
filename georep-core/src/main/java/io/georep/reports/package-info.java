/**
 * What the nodes of a cluster say of themselves to each other, for people who look at one of them. {@link
 * io.georep.reports.Reports} is where to begin. {@code core} is the protocol, and {@code local} connects the two on one
 * node; applications use neither.
 */
@NullMarked
package io.georep.reports;

import org.jspecify.annotations.NullMarked;
