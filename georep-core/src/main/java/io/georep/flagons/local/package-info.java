/** A node of a fleet as the process that hosts it sees it. There is no API for applications yet. */
@NullMarked
package io.georep.flagons.local;

import org.jspecify.annotations.NullMarked;
