/** The auto-configuration: a node and everything around it from {@code georep.*} properties. */
@NullMarked
package io.georep.spring.boot;

import org.jspecify.annotations.NullMarked;
