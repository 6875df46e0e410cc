/** The driver: turns inputs into steps of the hosted protocols and their effects into I/O. */
@NullMarked
package io.georep.runtime;

import org.jspecify.annotations.NullMarked;
