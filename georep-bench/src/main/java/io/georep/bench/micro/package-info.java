/** Benchmarks of single parts: codec, step function, store. */
@NullMarked
package io.georep.bench.micro;

import org.jspecify.annotations.NullMarked;
