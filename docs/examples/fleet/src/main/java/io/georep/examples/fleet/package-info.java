/** Till boxes that read prices and blocked cards while many of them are replaced. */
@NullMarked
package io.georep.examples.fleet;

import org.jspecify.annotations.NullMarked;
