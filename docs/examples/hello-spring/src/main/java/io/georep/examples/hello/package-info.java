/** The smallest application that shows an adoption. */
@NullMarked
package io.georep.examples.hello;

import org.jspecify.annotations.NullMarked;
