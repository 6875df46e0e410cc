/** What happened in a run of real nodes under faults, and the judgement of it. */
@NullMarked
package io.georep.bench.history;

import org.jspecify.annotations.NullMarked;
