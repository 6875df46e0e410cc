/** In which order the members of a view pass writes on. */
@NullMarked
package io.georep.funnel.core.ways;

import org.jspecify.annotations.NullMarked;
