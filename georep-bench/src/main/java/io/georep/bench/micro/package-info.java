/** Micro benchmarks with JMH, one class for each part; {@link MicroBench} runs them. */
@NullMarked
package io.georep.bench.micro;

import org.jspecify.annotations.NullMarked;
