/** Histograms and tables for reports. */
@NullMarked
package io.georep.bench.report;

import org.jspecify.annotations.NullMarked;
