/** Finds annotated methods, adapts them to the handlers of the core, and keeps them running. */
@NullMarked
package io.georep.spring.listener;

import org.jspecify.annotations.NullMarked;
