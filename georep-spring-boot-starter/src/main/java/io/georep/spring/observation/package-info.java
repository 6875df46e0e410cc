/** Observations of sends and forwards. */
@NullMarked
package io.georep.spring.observation;

import org.jspecify.annotations.NullMarked;
