/** Logs that neither fill a disk nor fail: for the node, and for programs that call code of others. */
@NullMarked
package io.georep.logging;

import org.jspecify.annotations.NullMarked;
