/**
 * One ordered store over thousands of nodes that come and go, as a pure protocol: no clock, no thread, no I/O. Nodes know a
 * few others each. They spread operations as rumours, put them into one order by their ages, and each keeps the keys of
 * its group.
 */
@NullMarked
package io.georep.flagons.core;

import org.jspecify.annotations.NullMarked;
