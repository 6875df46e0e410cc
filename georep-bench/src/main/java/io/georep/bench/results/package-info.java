/** The pages of results: what is run for them, and how they are written from what the runs printed. */
@NullMarked
package io.georep.bench.results;

import org.jspecify.annotations.NullMarked;
