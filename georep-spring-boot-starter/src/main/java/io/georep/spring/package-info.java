/**
 * What a Spring application imports. The classes here adapt the public API of the core to annotations, templates and
 * listeners, and add no guarantee of their own.
 */
@NullMarked
package io.georep.spring;

import org.jspecify.annotations.NullMarked;
