/** Benchmarks of single parts. */
@NullMarked
package io.georep.bench.micro;

import org.jspecify.annotations.NullMarked;
