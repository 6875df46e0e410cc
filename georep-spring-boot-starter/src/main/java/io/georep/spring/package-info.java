/**
 * What a Spring application imports. The types here adapt the public API of the core to annotations and listeners. They add no
 * guarantees of their own.
 */
@NullMarked
package io.georep.spring;

import org.jspecify.annotations.NullMarked;
