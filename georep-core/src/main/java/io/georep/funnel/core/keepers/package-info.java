/** The master of a group of maps: a replicated log of who is there, and what its leader decides by it. */
@NullMarked
package io.georep.funnel.core.keepers;

import org.jspecify.annotations.NullMarked;
