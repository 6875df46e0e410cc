/** The protocol of reports: questions, answers, and how often there may be any. Pure: no clock, no thread, no I/O. */
@NullMarked
package io.georep.reports.core;

import org.jspecify.annotations.NullMarked;
