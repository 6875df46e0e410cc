/** Between fleet maps and the application: calls, listeners, statistics. */
@NullMarked
package io.georep.flagons.local;

import org.jspecify.annotations.NullMarked;
